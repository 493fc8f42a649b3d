import { Writable } from 'node:stream'
import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino'
import { gatheringLines } from './gathered-lines.ts'

export type Log = Logger

const LEVELS: Record<number, string> = { 20: 'debug', 30: '', 40: 'warning', 50: 'error', 60: 'fatal' }

/** One JSON object a line for machines; on a terminal the same facts as a line for people. */
export function createLog(options: {
  level: string
  isTerminal: boolean
  /** The number of this process among those that write to one log. */
  process?: number | undefined
  destination?: DestinationStream
}): Log {
  const settings: LoggerOptions = {
    level: options.level,
    base: options.process === undefined ? null : { process: options.process },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    serializers: { error: describeError },
  }
  return pino(settings, options.destination ?? (options.isTerminal ? forPeople() : forMachines()))
}

let lines: ReturnType<typeof gatheringLines> | null = null

function forMachines(): DestinationStream {
  if (lines) return lines
  lines = gatheringLines(pino.destination({ fd: 2, sync: true }))
  process.once('exit', lines.flush)
  return lines
}

function forPeople() {
  return new Writable({
    write(line: Buffer, _encoding, done) {
      const { level, time, msg, error, ...rest } = JSON.parse(line.toString())
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
