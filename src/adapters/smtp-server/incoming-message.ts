import type { ListenerContext } from './context.ts'
import { DataReader } from './data-reader.ts'
import type { SmtpAnswer, SmtpRefusal } from './handler.ts'
import { MessageBuffer } from './message-buffer.ts'
import { headerTooLarge, NO_ROOM, tooLarge } from './reply.ts'

type Shared = Pick<ListenerContext<unknown>, 'memory' | 'maxMessageBytes' | 'limits' | 'underway'>

/** A message from DATA, or the first BDAT, to its answer. */
export class IncomingMessage {
  readonly reader: DataReader
  readonly #shared: Shared
  readonly #buffer: MessageBuffer
  #isHandedOver = false

  constructor(shared: Shared, framing: 'dot' | 'length') {
    const { memory, maxMessageBytes, limits } = shared
    const buffer = new MessageBuffer(memory, maxMessageBytes, limits)
    this.#shared = shared
    this.#buffer = buffer
    this.reader = new DataReader((content) => buffer.add(content), framing)
  }

  /** Why it cannot be taken, as far as it has come. */
  get objection(): SmtpRefusal | null {
    const { maxMessageBytes, limits } = this.#shared
    if (this.#buffer.shortcoming === 'too large') return tooLarge(maxMessageBytes)
    if (this.#buffer.shortcoming === 'header too large') return headerTooLarge(limits)
    return this.#buffer.shortcoming === 'no room' ? NO_ROOM : null
  }

  /** It is whole. From here on it is the handler's, whoever is left to hear the answer. */
  async handOver(take: (raw: Buffer) => Promise<SmtpAnswer>): Promise<SmtpAnswer> {
    const { objection } = this
    if (objection) return { kind: 'refused', ...objection }
    const { underway } = this.#shared
    this.#isHandedOver = true
    const taking = take(this.#buffer.whole())
    underway.add(taking)
    try {
      return await taking
    } finally {
      underway.delete(taking)
      this.#buffer.release()
    }
  }

  /** It will not come to its end. */
  drop() {
    if (!this.#isHandedOver) this.#buffer.release()
  }
}
