// What AddressSanitizer is told in every unit test; ASAN_OPTIONS overrides it. Linked in sanitizer builds only.

// Of each allocation the sanitizer keeps the calls that led to it. Recursive code allocates under ever new stacks, so
// with the usual 30 calls that takes ten times as long as the test itself, and gigabytes; 8 are enough to find the
// place.
extern "C" const char* __asan_default_options() { return "malloc_context_size=8"; }
