// A program with a symbol in one of LibTorch's namespaces, which check_symbols.py must find.
namespace c10 {
int planted(int argc) { return argc - 1; }
}  // namespace c10

int main(int argc, char**) { return c10::planted(argc); }
