// Linked with every object of the core and nothing else; that it links and runs is the statement.
int main() { return 0; }
