import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { onTestFinished } from 'vitest'

/** A client that says exactly what a test tells it, byte for byte. Gone when the test ends. */
export class TestClient {
  #socket: Socket
  #text = ''
  #isClosed = false
  #notice = () => {}
  readonly #closed: Promise<void>

  private constructor(socket: Socket) {
    this.#socket = socket
    this.#closed = new Promise((resolve) => socket.once('close', () => resolve()))
    this.#listen(socket)
    onTestFinished(() => void this.#socket.destroy())
  }

  static plain(port: number): TestClient {
    return new TestClient(connect({ port, host: '127.0.0.1', noDelay: true }))
  }

  static encrypted(port: number): TestClient {
    return new TestClient(connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }))
  }

  /** Connected, greeted, and past EHLO. */
  static async ready(port: number): Promise<TestClient> {
    const client = TestClient.plain(port)
    await client.reply()
    await client.ask('EHLO client.test')
    return client
  }

  write(bytes: string | Buffer) {
    this.#socket.write(bytes)
  }

  /** The next reply with all its lines, or what came instead before the connection was closed. */
  async reply(): Promise<string> {
    for (;;) {
      const match = /^(?:\d{3}-.*\r\n)*\d{3}(?: .*)?\r\n/.exec(this.#text)
      if (match || this.#isClosed) {
        const [text] = match ?? [this.#text]
        this.#text = this.#text.slice(text.length)
        return text.trimEnd().replaceAll('\r\n', '\n')
      }
      await new Promise<void>((resolve) => {
        this.#notice = resolve
      })
    }
  }

  async replies(count: number): Promise<string[]> {
    const replies: string[] = []
    while (replies.length < count) replies.push(await this.reply())
    return replies
  }

  ask(line: string): Promise<string> {
    this.write(`${line}\r\n`)
    return this.reply()
  }

  /** Up to the 354 of DATA. */
  async startMessage(from = 'ada@example.org', to = 'bob@example.com'): Promise<string> {
    await this.ask(`MAIL FROM:<${from}>`)
    await this.ask(`RCPT TO:<${to}>`)
    return this.ask('DATA')
  }

  /** A whole message and the answer to it. */
  async deliver(message: string | Buffer, from?: string, to?: string): Promise<string> {
    await this.startMessage(from, to)
    this.write(Buffer.concat([Buffer.from(message), Buffer.from('\r\n.\r\n')]))
    return this.reply()
  }

  async startTls(): Promise<void> {
    await this.ask('STARTTLS')
    await this.encrypt()
  }

  /** The handshake alone. */
  async encrypt(): Promise<void> {
    this.#socket.removeAllListeners('data')
    const encrypted = connectTls({ socket: this.#socket, rejectUnauthorized: false })
    this.#listen(encrypted)
    this.#socket = encrypted
    await new Promise<void>((resolve, reject) => {
      encrypted.once('secureConnect', resolve)
      encrypted.once('error', reject)
    })
  }

  /** Everything that came and was not read, once the other side has hung up. */
  async rest(): Promise<string> {
    await this.#closed
    return this.#text
  }

  hangUp() {
    this.#socket.destroy()
  }

  get socket(): Socket {
    return this.#socket
  }

  #listen(socket: Socket) {
    socket.on('data', (chunk: Buffer) => {
      this.#text += chunk.toString('latin1')
      this.#notice()
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      this.#isClosed = true
      this.#notice()
    })
  }
}
