import { hostname } from 'node:os'
import { Writable } from 'node:stream'
import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino'
import packageJson from '../../../package.json' with { type: 'json' }
import { gatheringLines } from './gathered-lines.ts'

export type Log = Logger

const LEVELS: Record<number, string> = { 20: 'debug', 30: '', 40: 'warning', 50: 'error', 60: 'fatal' }

export type LogFormat = 'auto' | 'json' | 'text'

/** One JSON object a line for machines; on a terminal the same facts as a line for people. */
export function createLog(options: {
  level: string
  isTerminal: boolean
  format?: LogFormat
  /** The number of this process among those that write to one log. */
  process?: number | undefined
  destination?: DestinationStream
}): Log {
  const source: Source = { node: () => HOST, lastNode: HOST, text: textOf(HOST) }
  const settings: LoggerOptions = {
    level: options.level,
    base: options.process === undefined ? null : { process: options.process },
    // A text that is put into the line as it is: what all lines have in common costs next to nothing.
    timestamp: () => `,"time":"${new Date().toISOString()}"${textBy(source)}`,
    hooks: { logMethod: writeWithComponent },
    serializers: { error: describeError },
  }
  const { format = 'auto' } = options
  const isText = format === 'auto' ? options.isTerminal : format === 'text'
  const log = pino(settings, options.destination ?? (isText ? forPeople() : forMachines()))
  sources.set(log, source)
  return log
}

const HOST = hostname()

/** Who writes the lines of a log. */
interface Source {
  node(): number | string
  lastNode: number | string
  /** What lines say of it. */
  text: string
}

const textOf = (node: number | string) =>
  `,"node":${JSON.stringify(node)},"version":${JSON.stringify(packageJson.version)}`

function textBy(source: Source): string {
  const node = source.node()
  if (node !== source.lastNode) {
    source.lastNode = node
    source.text = textOf(node)
  }
  return source.text
}

const sources = new WeakMap<Log, Source>()

/** From here on lines tell which node they are of; before, they have the name of the machine. The number changes when a node rejoins. */
export function nameNode(log: Log, node: () => number) {
  const source = sources.get(log)
  if (source) source.node = node
}

/** Messages begin with it, as in `delivery: attempt`. */
const COMPONENT = /^[a-z][a-z -]{0,29}$/
/** Untrusted text could make up names without end. */
const MAX_COMPONENTS = 200

/** By log and component: a log that has it in each of its lines, written once. */
const components = new WeakMap<Log, Map<string, Log>>()

/** A search in a short text and two look-ups for each line, of which one takes 2 µs to write. */
function writeWithComponent(this: Log, given: unknown[], write: (this: Log, ...given: never[]) => void) {
  const message = typeof given[0] === 'string' ? given[0] : given[1]
  const end = typeof message === 'string' ? message.indexOf(': ') : -1
  write.apply(end > 0 ? withComponent(this, (message as string).slice(0, end)) : this, given as never[])
}

function withComponent(log: Log, component: string): Log {
  const own = components.get(log)
  const found = own?.get(component)
  if (found) return found
  const known = own ?? new Map<string, Log>()
  components.set(log, known)
  if (known.size >= MAX_COMPONENTS || !COMPONENT.test(component)) return log
  const made = log.child({ component })
  known.set(component, made)
  return made
}

let lines: ReturnType<typeof gatheringLines> | null = null

function forMachines(): DestinationStream {
  if (lines) return lines
  lines = gatheringLines(pino.destination({ fd: 2, sync: true }))
  process.once('exit', lines.flush)
  return lines
}

/** Who looks at a terminal knows the machine and the version, and reads the component in the message. */
function forPeople() {
  return new Writable({
    write(line: Buffer, _encoding, done) {
      const { level, time, msg, error, component, node, version, ...rest } = JSON.parse(line.toString())
      const facts = Object.entries(rest).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
      const words = [time.slice(11, 19), LEVELS[level], msg, ...facts].filter(Boolean).join(' ')
      process.stderr.write(error ? `${words}\n${error.stack ?? error.message}\n` : `${words}\n`, () => done())
    },
  })
}

function describeError(error: unknown) {
  if (!(error instanceof Error)) return { message: String(error) }
  const code = (error as { code?: unknown }).code
  return { message: error.message, stack: error.stack, ...(code !== undefined && { code }) }
}
