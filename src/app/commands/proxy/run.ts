import type { Server } from 'node:http'
import { systemClock } from '../../../platform/clock.ts'
import { createLog, type Log } from '../../../platform/observability/log.ts'
import type { Config } from '../../../platform/settings/config.ts'
import { openDataFolder } from '../../../platform/settings/data-folder.ts'
import { OperatorError, oneLine } from '../command.ts'
import { stopOnSignal } from '../stop-on-signal.ts'
import { type Exchange, isWriting, type Judged, notComparable } from './exchange.ts'
import { lockFolder } from './folder-lock.ts'
import { MirrorProcess } from './mirror-process.ts'
import { ProxyServer } from './proxy-server.ts'
import { MirrorQueue } from './queue.ts'
import { readBack } from './read-back.ts'
import { type DifferenceKind, newReport, Report } from './report.ts'
import { readReport, writeReport } from './report-file.ts'
import { answerReport } from './report-page.ts'
import { verdictLine } from './report-text.ts'
import { maskedRoute } from './routes.ts'
import { shadowFolder } from './settings.ts'
import { openUpstream, type Upstream } from './upstream.ts'
import { isWebhook, WebhookIntake, webhookPath } from './webhook-intake.ts'

export interface ProxyOptions {
  readonly config: Config
  readonly upstream: string
  readonly isOneTeam: boolean
  readonly readsBack: boolean
  /** The program that was started, to start our side with it. */
  readonly program: string
  print(line: string): void
}

const SAVE_EVERY_MS = 2_000
/** Calls that are under way when a stop is asked for have this long to be answered, */
const LAST_CALLS_MS = 5_000
/** and then those that wait for our side this long to be compared. */
const LAST_COMPARISONS_MS = 5_000

/** Answers from the upstream until it is told to stop. */
export async function runProxy({ config, print, ...options }: ProxyOptions) {
  const upstream = openUpstream(options.upstream)
  requireOther(upstream, config)
  const log = createLog({ level: config.LOG_LEVEL, isTerminal: process.stderr.isTTY === true })
  const folder = shadowFolder(config)
  openDataFolder(folder)
  const unlock = lockFolder(folder)
  const report = openReport(folder, upstream)
  const mirror = new MirrorProcess({ program: options.program, words: ['proxy', '--mirror'], log })
  const record = (judged: Judged, method: string) => {
    const kinds = report.add(judged, { isWriting: isWriting(method), now: systemClock.now() })
    for (const kind of kinds) tellDifference(log, judged.operation, kind)
  }
  const newQueue = () =>
    new MirrorQueue({
      judge: (exchange) => mirror.judge(exchange),
      onJudged: ({ method }, judged) => record(judged, method),
      onLost: ({ method, path }: Exchange) =>
        record({ operation: maskedRoute(method, path), verdict: notComparable('away') }, method),
    })
  // An event may wait for our side to come as far; no call waits behind it.
  const [queue, eventQueue] = [newQueue(), newQueue()]
  const keyHashSecret = () => mirror.keyHashSecret
  const webhooks = new WebhookIntake({ queue: eventQueue, clock: systemClock, keyHashSecret })
  const proxy = new ProxyServer({
    ...{ upstream, queue, clock: systemClock, isOneTeam: options.isOneTeam },
    keyHashSecret,
    onUncompared: ({ method, path, reason }) =>
      record({ operation: maskedRoute(method, path), verdict: notComparable(reason) }, method),
    answerOwn: (request, response) =>
      isWebhook(request)
        ? void webhooks.answer(request, response)
        : answerReport(request, response, { ...report.data, waiting: queue.size + eventQueue.size }),
    ...(options.readsBack && { onAnswered: readBack(() => ({ host: config.HOST, port })) }),
  })
  let saved = 0
  const save = () => {
    if (saved === report.data.calls) return
    saved = report.data.calls
    writeReport(folder, report.data)
  }
  const port = await listen(proxy, config).catch((error) => {
    unlock()
    throw error
  })
  const saving = setInterval(() => saveQuietly(save, log), SAVE_EVERY_MS)
  stopOnSignal(async () => {
    clearInterval(saving)
    await within(LAST_CALLS_MS, closed(proxy.server))
    proxy.server.closeAllConnections()
    await within(LAST_COMPARISONS_MS, Promise.all([queue.whenIdle(), eventQueue.whenIdle()]))
    await mirror.stop()
    save()
    upstream.close()
    unlock()
    print(verdictLine(report.data))
  }, log)
  mirror.once('ready', () => {
    print(`  Webhooks   ${urlOf(config, port)}${webhookPath(mirror.keyHashSecret!)}, if the upstream can reach it`)
    print('  Compared   every call, from now on')
  })
  mirror.on('failed', () => {
    unlock()
    process.exit(1)
  })
  mirror.start()
  print(welcomeOf({ upstream, config, port }))
}

const within = (ms: number, work: Promise<unknown>) =>
  Promise.race([work, new Promise((resolve) => setTimeout(resolve, ms).unref())])

const closed = (server: Server) =>
  new Promise<void>((resolve) => {
    server.close(() => resolve())
    server.closeIdleConnections()
  })

/** The report of the calls so far; another upstream begins another one. */
function openReport(folder: string, { origin }: Upstream): Report {
  const found = readReport(folder)
  return new Report(found?.upstream === origin ? found : newReport(origin, systemClock.now()))
}

function requireOther({ isLoopback, port }: Upstream, { PORT }: Config) {
  if (isLoopback && port === PORT)
    throw new OperatorError(`--upstream is the address of the proxy itself: change --port, or POSTWREN_PORT.`)
}

async function listen(proxy: ProxyServer, { HOST, PORT }: Config): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    proxy.server.once('error', reject)
    proxy.server.listen(PORT, HOST, resolve)
  }).catch((error: NodeJS.ErrnoException) => {
    const advice = error.code === 'EADDRINUSE' ? 'stop the other program, or use --port' : 'use another address'
    throw new OperatorError(`Cannot listen on port ${PORT} of ${HOST} (${error.code}): ${advice}.`)
  })
  proxy.server.on('error', () => {})
  return (proxy.server.address() as { port: number }).port
}

/** The first of a kind, and then each time there are ten times as many. */
function tellDifference(log: Log, operation: string, { path, count, examples }: DifferenceKind) {
  if (!/^10*$/.test(String(count))) return
  const { theirs, ours } = examples.at(-1)!
  const times = count === 1 ? '' : ` (${count} times)`
  log.warn(oneLine(`proxy: ${operation} differs in ${path}${times}: theirs ${theirs}, ours ${ours}`))
}

function saveQuietly(save: () => void, log: Log) {
  try {
    save()
  } catch (error) {
    log.error({ error }, 'proxy: writing the report failed')
  }
}

function welcomeOf({ upstream, config, port }: { upstream: Upstream; config: Config; port: number }): string {
  return [
    'Postwren proxy: every call is answered by the upstream and compared with Postwren, which sends nothing.',
    '',
    `  Base URL   ${urlOf(config, port)}`,
    `  Upstream   ${upstream.origin}`,
    `  Report     http://localhost:${port}/_proxy, or: postwren proxy report`,
    ...(upstream.isEncrypted || upstream.isLoopback
      ? []
      : ['', '  Warning    the upstream is not encrypted: API keys and mail are readable on the way']),
    '',
  ].join('\n')
}

const urlOf = ({ HOST }: Config, port: number) => `http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${port}`
