import type { Semaphore } from '../../platform/concurrency/semaphore.ts'
import { HeaderMeter } from './header-meter.ts'
import { LIMITS, type Limits } from './limits.ts'

/** Pieces from here on are kept as they came, smaller ones are copied together. */
const LARGE_BYTES = 4 * 1024
const SMALLEST_BLOCK_BYTES = 4 * 1024
const LARGEST_BLOCK_BYTES = 64 * 1024

export type Shortcoming = 'too large' | 'header too large' | 'no room'

/**
 * A message that is coming in, kept in memory that all sessions share. Takes from the common budget as it grows, so that a
 * client cannot reserve with words what it would have to pay for in bytes. One that cannot be kept is let go of at once: the rest is
 * counted and not kept.
 *
 * A client may send one byte a packet. As buffers of their own they would weigh some two hundred times as much.
 */
export class MessageBuffer {
  readonly #memory: Semaphore
  readonly #maxBytes: number
  readonly #header: HeaderMeter
  #blocks: Buffer[] = []
  /** The last of the blocks, when it has room. */
  #open: Buffer | null = null
  #filled = 0
  #length = 0
  #taken = 0
  #shortcoming: Shortcoming | null = null

  constructor(memory: Semaphore, maxBytes: number, limits: Pick<Limits, 'headerBytes' | 'headerFields'> = LIMITS) {
    this.#memory = memory
    this.#maxBytes = maxBytes
    this.#header = new HeaderMeter(limits)
  }

  /** Why the message cannot be taken, if so. */
  get shortcoming(): Shortcoming | null {
    return this.#shortcoming
  }

  add(bytes: Buffer) {
    if (this.#shortcoming) return
    this.#length += bytes.length
    if (this.#length > this.#maxBytes) return this.#giveUp('too large')
    if (!this.#header.add(bytes)) return this.#giveUp('header too large')
    let rest = bytes
    if (this.#open) {
      const copied = rest.copy(this.#open, this.#filled)
      this.#filled += copied
      rest = rest.subarray(copied)
      if (rest.length === 0) return
      this.#close()
    }
    if (rest.length >= LARGE_BYTES)
      return void this.#grow(rest.length, () => (isMostOfIt(rest) ? rest : Buffer.from(rest)))
    const size = Math.min(Math.max(SMALLEST_BLOCK_BYTES, this.#taken), LARGEST_BLOCK_BYTES)
    const block = this.#grow(size, () => Buffer.allocUnsafeSlow(size))
    if (!block) return
    this.#open = block
    this.#filled = rest.copy(block)
  }

  /** All of it as one. */
  whole(): Buffer {
    this.#close()
    if (this.#blocks.length !== 1) this.#blocks = [Buffer.concat(this.#blocks, this.#length)]
    return this.#blocks[0]!
  }

  /** Nothing of it is needed any more. May be said twice. */
  release() {
    this.#blocks = []
    this.#open = null
    this.#memory.giveBack(this.#taken)
    this.#taken = 0
  }

  #grow(bytes: number, make: () => Buffer): Buffer | null {
    if (!this.#memory.tryTake(bytes)) {
      this.#giveUp('no room')
      return null
    }
    this.#taken += bytes
    const block = make()
    this.#blocks.push(block)
    return block
  }

  /** Cuts the last block to what is in it. */
  #close() {
    if (!this.#open) return
    this.#blocks[this.#blocks.length - 1] = this.#open.subarray(0, this.#filled)
    this.#open = null
  }

  #giveUp(shortcoming: Shortcoming) {
    this.#shortcoming = shortcoming
    this.release()
  }
}

/** A part of a chunk keeps all of it in memory, whatever else was in there. */
const isMostOfIt = (part: Buffer) => 2 * part.length >= part.buffer.byteLength
