import type { DataReader } from './data-reader.ts'

/** Reads as many bytes as BDAT has announced. */
export class ChunkReader {
  readonly #message: DataReader | null
  #left: number

  /** Without a message they are read past. */
  constructor(bytes: number, message: DataReader | null) {
    this.#left = bytes
    this.#message = message
  }

  /** Where in the piece the chunk has ended, or -1 while there is more to come. */
  read(piece: Buffer): number {
    const part = piece.subarray(0, this.#left)
    this.#message?.read(part)
    this.#left -= part.length
    return this.#left === 0 ? part.length : -1
  }
}
