import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { type Exchange, isWriting, type Judged, notComparable } from '../../src/app/commands/proxy/exchange.ts'
import { type OurSide, ourSideAt } from '../../src/app/commands/proxy/our-side.ts'
import { createShadowTables, Pairs } from '../../src/app/commands/proxy/pairs.ts'
import { ProxyServer } from '../../src/app/commands/proxy/proxy-server.ts'
import { MirrorQueue } from '../../src/app/commands/proxy/queue.ts'
import { readBack } from '../../src/app/commands/proxy/read-back.ts'
import { newReport, Report } from '../../src/app/commands/proxy/report.ts'
import { answerReport } from '../../src/app/commands/proxy/report-page.ts'
import { maskedRoute } from '../../src/app/commands/proxy/routes.ts'
import { Shadow } from '../../src/app/commands/proxy/shadow.ts'
import { keyHashSecret, ShadowTeams } from '../../src/app/commands/proxy/teams.ts'
import { openUpstream } from '../../src/app/commands/proxy/upstream.ts'
import { isWebhook, WebhookIntake, webhookPath } from '../../src/app/commands/proxy/webhook-intake.ts'
import { systemClock } from '../../src/platform/clock.ts'
import type { App } from './app.ts'

export interface ShadowProxyOptions {
  /** Where calls are answered; the app itself unless said. */
  readonly upstream?: string
  readonly isOneTeam?: boolean
  readonly readsBack?: boolean
  readonly retryDelaysMs?: readonly number[]
  /** In the place of our side, or in front of it. */
  readonly ourSide?: (real: OurSide) => OurSide
}

/** Where an app listens. */
export async function urlOf(app: App): Promise<string> {
  const { server } = app.server
  if (!server.listening) await app.server.listen({ host: '127.0.0.1', port: 0 })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** The proxy with its shadow in this process. Upstream and our side are one app, with a team for each. */
export async function startShadowProxy(app: App, options: ShadowProxyOptions = {}) {
  const own = await urlOf(app)
  await createShadowTables(app.db)
  const upstream = openUpstream(options.upstream ?? own)
  const real = ourSideAt(Number(new URL(own).port))
  const shadow = new Shadow({
    ourSide: options.ourSide?.(real) ?? real,
    teams: new ShadowTeams(app.db, app.sealer),
    pairs: new Pairs(app.db),
    eventWaitMs: 0,
    retryDelaysMs: options.retryDelaysMs ?? [],
  })
  const report = new Report(newReport(upstream.origin, app.clock.now()))
  const exchanges: Exchange[] = []
  const record = (judged: Judged, method: string) =>
    report.add(judged, { isWriting: isWriting(method), now: app.clock.now() })
  const queue = new MirrorQueue({
    judge: (exchange) => {
      exchanges.push(exchange)
      return shadow.judge(exchange)
    },
    onJudged: ({ method }, judged) => record(judged, method),
    onLost: ({ method, path }) =>
      record({ operation: maskedRoute(method, path), verdict: notComparable('away') }, method),
  })
  const secret = keyHashSecret(app.sealer)
  const webhooks = new WebhookIntake({ queue, clock: systemClock, keyHashSecret: () => secret })
  const { server } = new ProxyServer({
    ...{ upstream, queue, clock: systemClock, isOneTeam: options.isOneTeam ?? false },
    keyHashSecret: () => secret,
    onUncompared: ({ method, path, reason }) =>
      record({ operation: maskedRoute(method, path), verdict: notComparable(reason) }, method),
    answerOwn: (request, response) =>
      isWebhook(request) ? void webhooks.answer(request, response) : answerReport(request, response, report.data),
    ...(options.readsBack && { onAnswered: readBack(() => ({ host: '127.0.0.1', port })) }),
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    upstream.close()
    await queue.whenIdle()
  })
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    webhookUrl: `http://127.0.0.1:${port}${webhookPath(secret)}`,
    report: report.data,
    /** What our side was given. */
    exchanges,
    /** Resolves when our side has done all that it was given. */
    settled: () => queue.whenIdle(),
    /** What differs, as operation and path. */
    differences: () =>
      Object.entries(report.data.operations).flatMap(([name, { differences }]) =>
        differences.map(({ path, examples }) => ({ operation: name, path, ...examples[0] })),
      ),
    failures: () =>
      Object.entries(report.data.operations).flatMap(([name, one]) =>
        one.last_failure ? [[name, one.last_failure]] : [],
      ),
  }
}
