// Factors of the matrix unit that are gathered: each line and each term says a part of where an element is, and of whether
// there is one (the pixels of an image under the windows of a convolution, and the border around it).

//- mlgc_offset: what a line or a term says: elements to add to the place, and to each number that is asked for
template <class Index, int kAsked>
struct mlgc_offset {
  Index place;
  Index asked[kAsked > 0 ? kAsked : 1];
};

//- mlgc_gathered_part: parts of a factor that is at the sum of what `line` and `term` say, and 0 where a number that both add
// up to is negative or more than `most` of it. With kInPieces eight terms (lines) from a multiple of eight on are
// neighbours, which begin at a multiple of eight. A thread keeps what its lines say.
template <class Tile, int kLines, bool kByTerms, bool kInPieces, class Index, int kAsked, class Line, class Term>
struct mlgc_gathered_part {
  using Number = mlgc_unsigned<Index>;
  static_assert(kInPieces || kByTerms, "elements one by one are by terms");
  static constexpr int kPieces = (kByTerms ? Tile::kTerms : kLines) / 8, kOwn = kLines * Tile::kTerms / 8 / Tile::kThreads;
  static constexpr int kOffsets = kByTerms ? kOwn : 1;
  const uint16_t* const from;
  Index first, end, next_term, end_term;
  Number most[kAsked > 0 ? kAsked : 1];
  Term term;
  bool is_aligned;
  mlgc_offset<Index, kAsked> offsets[kOffsets];
  bool is_line[kOffsets];

  template <class... Most>
  __device__ mlgc_gathered_part(const uint16_t* buffer, Index first_line, Index end_line, Index first_term,
                                 Index term_end, Line line, Term of_term, Most... limits)
      : from(buffer), first(first_line), end(end_line), next_term(first_term), end_term(term_end),
        most{static_cast<Number>(limits)...}, term(of_term), is_aligned(reinterpret_cast<uintptr_t>(buffer) % 16 == 0) {
#pragma unroll
    for (int i = 0; i < kOffsets; ++i) {
      const int number = static_cast<int>(threadIdx.x) + i * Tile::kThreads;
      const Index at = first + (kByTerms ? number / kPieces : number % kPieces * 8);
      is_line[i] = at < end;
      offsets[i] = line(is_line[i] ? at : first);
    }
  }

  __device__ bool is_there(const mlgc_offset<Index, kAsked>& a, const mlgc_offset<Index, kAsked>& b) const {
    bool inside = true;
#pragma unroll
    for (int i = 0; i < kAsked; ++i) {
      inside = inside && static_cast<Number>(a.asked[i] + b.asked[i]) <= most[i];
    }
    return inside;
  }

  // `count` elements from a place on, and zeros.
  __device__ void copy_piece(char* to, Index place, int count) {
    if (is_aligned) {
      mlgc_copy_ahead<16>(to, count > 0 ? from + place : from, count * 2);
      return;
    }
    mlgc_piece<uint16_t, 8> values;
#pragma unroll
    for (int e = 0; e < 8; ++e) values.values[e] = e < count ? from[place + e] : uint16_t{0};
    *reinterpret_cast<mlgc_piece<uint16_t, 8>*>(to) = values;
  }

  __device__ void copy(char* to) {
    const int thread = static_cast<int>(threadIdx.x);
    const auto clipped = [](Index left) { return static_cast<int>(left < 0 ? 0 : left < 8 ? left : 8); };
    if constexpr (kByTerms && kInPieces) {
      const int piece = thread % kPieces;
      const Index at = next_term + piece * 8;
      const int count = clipped(end_term - at);
      const auto of_term = term(at);
#pragma unroll
      for (int i = 0; i < kOwn; ++i) {
        const bool inside = is_line[i] && is_there(offsets[i], of_term);
        copy_piece(to + Tile::template place<kPieces>((thread + i * Tile::kThreads) / kPieces, piece),
                   offsets[i].place + of_term.place, inside ? count : 0);
      }
    } else if constexpr (kInPieces) {
      const int piece = thread % kPieces;
      const int count = clipped(end - (first + piece * 8));
#pragma unroll
      for (int i = 0; i < kOwn; ++i) {
        const int row = (thread + i * Tile::kThreads) / kPieces;
        const auto of_term = term(next_term + row);
        const bool inside = next_term + row < end_term && is_there(offsets[0], of_term);
        copy_piece(to + Tile::template place<kPieces>(row, piece), offsets[0].place + of_term.place, inside ? count : 0);
      }
    } else {
      // Half a piece at a time: more elements on their way would take registers that the sums need.
      const int piece = thread % kPieces;
#pragma unroll 1
      for (int half = 0; half < 8; half += 4) {
        mlgc_piece<uint16_t, 4> values[kOwn];
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const Index at = next_term + piece * 8 + half + e;
          const auto of_term = term(at);
#pragma unroll
          for (int i = 0; i < kOwn; ++i) {
            const bool inside = at < end_term && is_line[i] && is_there(offsets[i], of_term);
            values[i].values[e] = inside ? from[offsets[i].place + of_term.place] : uint16_t{0};
          }
        }
#pragma unroll
        for (int i = 0; i < kOwn; ++i) {
          char* const row = to + Tile::template place<kPieces>((thread + i * Tile::kThreads) / kPieces, piece);
          *reinterpret_cast<mlgc_piece<uint16_t, 4>*>(row + half * 2) = values[i];
        }
      }
    }
    next_term += Tile::kTerms;
  }
};

//- mlgc_gather: the parts of a gathered factor of a tile
template <class Tile, int kLines, bool kByTerms, bool kInPieces, int kAsked, class Index, class Line, class Term, class... Most>
MLGC_DEVICE auto mlgc_gather(const uint16_t* buffer, Index first_line, Index end_line, Index first_term, Index end_term,
                             Line line, Term term, Most... most) {
  return mlgc_gathered_part<Tile, kLines, kByTerms, kInPieces, Index, kAsked, Line, Term>(
      buffer, first_line, end_line, first_term, end_term, line, term, most...);
}
