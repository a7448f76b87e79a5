// Nothing: CMake hangs a precompiled header on a target, and a target needs a source.
