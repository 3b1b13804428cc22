#pragma once
#include <cstddef>
#include <cstdint>

// What the fuzzers and the test of their corpus run: each of them must return normally on any
// input. Anything but an Error is a find.

/// Reads the bytes as a scene file and, if it is one, takes its fingerprint.
void try_scene(const std::uint8_t* data, std::size_t size);

/// Makes a scene file by the decisions that the bytes are (scene_from_bytes.h) and tries it.
void try_scene_form(const std::uint8_t* data, std::size_t size);

/// Reads the bytes as an .npy file and, if it is one, checks that all its elements lie in it.
void try_npy(const std::uint8_t* data, std::size_t size);

/// Reads the bytes as a table, from a file with this suffix, and, if they are one, checks that rows
/// are the same alone and among others.
void try_table(const std::uint8_t* data, std::size_t size, const char* suffix);
void try_csv(const std::uint8_t* data, std::size_t size);
void try_npz(const std::uint8_t* data, std::size_t size);
void try_ply(const std::uint8_t* data, std::size_t size);
void try_hdf5(const std::uint8_t* data, std::size_t size);

/// Decodes the bytes as a PNG, EXR or PFM and, if they are one, checks that it has all its samples,
/// and that it does not differ from itself. Of a PNG also with its checksums made right.
void try_picture(const std::uint8_t* data, std::size_t size);
