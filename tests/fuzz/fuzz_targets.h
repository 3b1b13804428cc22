#pragma once
#include <cstddef>
#include <cstdint>

// Targets of the fuzzers and of the corpus test: each must return normally on any input; any
// exception other than Error is a find.

/// Reads the bytes as a scene file and, if it is valid, takes its fingerprint.
void try_scene(const std::uint8_t* data, std::size_t size);

/// Makes a scene file from the bytes as decisions (scene_from_bytes.h) and tries it.
void try_scene_form(const std::uint8_t* data, std::size_t size);

/// Reads the bytes as an .npy file and, if it is valid, checks that it contains all its elements.
void try_npy(const std::uint8_t* data, std::size_t size);

/// Reads the bytes as a table, from a file with this suffix, and, if it is valid, checks that
/// single rows equal the rows of runs.
void try_table(const std::uint8_t* data, std::size_t size, const char* suffix);
void try_csv(const std::uint8_t* data, std::size_t size);
void try_npz(const std::uint8_t* data, std::size_t size);
void try_ply(const std::uint8_t* data, std::size_t size);
void try_hdf5(const std::uint8_t* data, std::size_t size);

/// Decodes the bytes as a PNG, EXR or PFM and, if it is valid, checks that it has all its samples
/// and equals itself. Tries a PNG also with corrected checksums.
void try_picture(const std::uint8_t* data, std::size_t size);
