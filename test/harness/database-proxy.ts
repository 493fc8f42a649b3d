import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { atEndOf, type Lifetime } from './program.ts'

/** Which connections something happens to. */
export type Chosen = (connection: ProxiedConnection) => boolean

export const everyConnection: Chosen = () => true

/** `flow`: bytes pass. `mute`: what the server answers is withheld. `freeze`: nothing passes. */
type Mode = 'flow' | 'mute' | 'freeze'

/** Bytes on their way from one side to the other. While it is shut they are kept, and so is the word that the side has closed. */
class Pipe {
  readonly #to: Socket
  readonly #kept: Buffer[] = []
  #isEnded = false
  #isOpen = false

  constructor(from: Socket, to: Socket) {
    this.#to = to
    from.on('data', (chunk) => this.push(chunk))
    from.on('close', () => {
      this.#isEnded = true
      this.#flow()
    })
  }

  push(chunk: Buffer) {
    this.#kept.push(chunk)
    this.#flow()
  }

  set isOpen(isOpen: boolean) {
    this.#isOpen = isOpen
    this.#flow()
  }

  #flow() {
    if (!this.#isOpen) return
    for (const chunk of this.#kept.splice(0)) this.#to.write(chunk)
    if (this.#isEnded) this.#to.end(() => this.#to.destroy())
  }
}

/** One connection of a client, with the one to the server that belongs to it. */
export class ProxiedConnection {
  /** The how-manieth it is, from 0. */
  readonly index: number
  /** As the client names itself; empty for one that only cancels a statement. */
  readonly applicationName: string
  readonly #client: Socket
  readonly #server: Socket
  readonly #requests: Pipe
  readonly #answers: Pipe
  #isDropped = false

  constructor(index: number, sides: { client: Socket; server: Socket; startup: Buffer }) {
    const { client, server, startup } = sides
    this.index = index
    this.applicationName = applicationNameIn(startup)
    this.#client = client
    this.#server = server
    this.#requests = new Pipe(client, server)
    this.#answers = new Pipe(server, client)
    this.#requests.push(startup)
  }

  get isOpen(): boolean {
    return !this.#client.destroyed && !this.#isDropped
  }

  set mode(mode: Mode) {
    if (this.#isDropped) return
    this.#requests.isOpen = mode !== 'freeze'
    this.#answers.isOpen = mode === 'flow'
  }

  /** Cuts the server's side. Unless the client is told, its side stays open, and nobody answers there any more. */
  drop({ tellClient }: { tellClient: boolean }) {
    this.mode = 'freeze'
    this.#isDropped = true
    this.#server.destroy()
    if (tellClient) this.#client.destroy()
  }
}

/** Stands between a node and its PostgreSQL, and does to their connections what networks, firewalls and hosts do. */
export class DatabaseProxy {
  /** All that there ever were, in the order in which they came. */
  readonly connections: ProxiedConnection[] = []
  readonly #target: pg.Client
  readonly #listener: Server
  readonly #sockets = new Set<Socket>()
  /** What was asked for, the latest last: it also holds for connections that are yet to come. */
  #orders: { mode: Mode; chosen: Chosen }[] = []
  #port = 0

  private constructor(target: pg.ClientConfig | string) {
    // It never connects: it knows how to read what `pg` is given.
    this.#target = new pg.Client(target)
    this.#listener = createServer((client) => this.#accept(client))
  }

  /** In front of the database that `pg` reaches with this, on a Unix socket or over TCP. */
  static async start(target: pg.ClientConfig | string, lifetime: Lifetime = 'test'): Promise<DatabaseProxy> {
    const proxy = new DatabaseProxy(target)
    await proxy.#listen()
    atEndOf(lifetime, () => proxy.#close())
    return proxy
  }

  /** The database behind it, for `pg`. */
  get config(): pg.ClientConfig {
    const { user, password, database } = this.#target
    const credentials = { ...(user && { user }), ...(password && { password }), ...(database && { database }) }
    return { host: '127.0.0.1', port: this.#port, ssl: false, ...credentials }
  }

  /** The database behind it, for `POSTWREN_DATABASE_URL`. */
  get url(): string {
    const { user = '', password, database = '' } = this.#target
    const url = new URL(`postgres://127.0.0.1:${this.#port}/${encodeURIComponent(database)}`)
    url.username = encodeURIComponent(user)
    url.password = encodeURIComponent(typeof password === 'string' ? password : '')
    return url.href
  }

  /** Nothing passes any more, in neither direction. New connections are taken and stay silent. */
  freeze(chosen: Chosen = everyConnection) {
    this.#order('freeze', chosen)
  }

  /** The server hears everything, and its answers are withheld. */
  mute(chosen: Chosen = everyConnection) {
    this.#order('mute', chosen)
  }

  /** What was held back flows on, also what the client has given up on in the meantime. */
  thaw(chosen: Chosen = everyConnection) {
    if (chosen === everyConnection) this.#orders = []
    this.#order('flow', chosen)
  }

  /** Like a firewall that forgets connections or, when it tells the client, like a server that is killed. */
  drop({ tellClient, chosen = everyConnection }: { tellClient: boolean; chosen?: Chosen }) {
    for (const connection of this.connections) if (chosen(connection)) connection.drop({ tellClient })
  }

  /** New connections are refused, until `admit`. Those that are there stay. */
  refuse() {
    this.#listener.close()
  }

  async admit() {
    await this.#listen()
  }

  #order(mode: Mode, chosen: Chosen) {
    this.#orders.push({ mode, chosen })
    for (const connection of this.connections) if (chosen(connection)) connection.mode = mode
  }

  #accept(client: Socket) {
    this.#keep(client)
    client.once('data', (startup) => {
      const { host, port } = this.#target
      const server = this.#keep(host.startsWith('/') ? connect(join(host, `.s.PGSQL.${port}`)) : connect(port, host))
      const connection = new ProxiedConnection(this.connections.length, { client, server, startup })
      connection.mode = this.#orders.findLast(({ chosen }) => chosen(connection))?.mode ?? 'flow'
      this.connections.push(connection)
    })
  }

  #keep(socket: Socket): Socket {
    this.#sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => this.#sockets.delete(socket))
    return socket.setNoDelay(true)
  }

  async #listen() {
    if (this.#listener.listening) return
    this.#listener.listen(this.#port, '127.0.0.1')
    await once(this.#listener, 'listening')
    this.#port = (this.#listener.address() as { port: number }).port
  }

  #close() {
    this.#listener.close()
    for (const socket of this.#sockets) socket.destroy()
  }
}

const PROTOCOL_3 = 3

/** The first packet: its length, the version, then names and values with a zero behind each. */
function applicationNameIn(startup: Buffer): string {
  if (startup.length < 8 || startup.readUInt16BE(4) !== PROTOCOL_3) return ''
  const words = startup.subarray(8).toString().split('\0')
  const at = words.indexOf('application_name')
  return at < 0 ? '' : words[at + 1]!
}
