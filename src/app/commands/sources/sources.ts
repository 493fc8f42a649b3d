import { isDomain, toAsciiDomain } from '../../../mail/address.ts'
import { isProvider, PROVIDERS } from '../../../mail/providers/providers.ts'
import type { SourceSettings } from '../../../mail/sources/sources.ts'
import type { Config } from '../../../platform/settings/config.ts'
import { type Command, JSON_FLAG, listOf, OperatorError, oneLine, tableOf } from '../command.ts'
import { withDatabase } from '../database.ts'
import { isoOf } from '../queue/filter.ts'
import { OPERATOR } from '../teams.ts'

export const sourcesList: Command = {
  name: 'sources',
  usage: '[--json]',
  summary: 'List the addresses that mail is sent from: EHLO name, pools, warm-up at each provider, pauses',
  options: JSON_FLAG,
  words: 0,
  async run({ config, flags, print }) {
    const settings = requireSources(config)
    const { listSources, listWarmUpsOfDomains } = await import('../../../features/emails/delivery/sources/index.ts')
    const { sources, domains } = await withDatabase(config, async (db) => ({
      sources: await listSources(db, settings),
      domains: await listWarmUpsOfDomains(db),
    }))
    if (flags.json) return print(listOf([...sources.map(shownSource), ...domains.map(shownDomain)]))
    const lines = sources.map(({ name, address, ehlo, pools, processes, warmsUp, pauses }) => ({
      SOURCE: name,
      ADDRESS: address,
      EHLO: ehlo,
      POOLS: pools.map((pool) => `${pool.name}:${pool.weight}`).join(' ') || '-',
      PROCESSES: String(processes),
      'WARM-UP': warmsUp ? 'yes' : 'no',
      PAUSED: pauses.map((pause) => `${pause.destination} until ${isoOf(pause.pausedUntil)}`).join(', ') || '-',
    }))
    for (const line of tableOf(lines)) print(line)
    const warmUps = [
      ...sources.map(({ name, warmUps }) => ({ name, warmUps })),
      ...domains.map(({ domain, warmUps }) => ({ name: domain, warmUps })),
    ].flatMap(({ name, warmUps: own }) => own.map((warmUp) => ({ name, ...warmUp })))
    if (warmUps.length === 0) return
    print('')
    const rows = warmUps.map((one) => ({
      'WARM-UP OF': one.name,
      PROVIDER: one.provider,
      DAY: one.isFinished ? 'finished' : String(one.day),
      'SENT TODAY': one.sentToday === null ? '-' : String(one.sentToday),
      ALLOWANCE: one.allowance === null ? '-' : String(one.allowance),
      DEFERRED: String(one.deferredToday),
      BLOCKED: one.isBlocked ? 'yes' : 'no',
    }))
    for (const line of tableOf(rows)) print(line)
  },
}

type Listed = typeof import('../../../features/emails/delivery/sources/index.ts')

const shownSource = ({
  pauses,
  processes,
  warmsUp,
  warmUps,
  ...source
}: Awaited<ReturnType<Listed['listSources']>>[number]) => ({
  object: 'source',
  ...source,
  processes,
  warm_up: warmsUp,
  providers: warmUps.map(shownWarmUp),
  pauses: pauses.map(({ destination, pausedUntil, reply }) => ({ destination, paused_until: pausedUntil, reply })),
})

const shownDomain = ({ domain, warmUps }: Awaited<ReturnType<Listed['listWarmUpsOfDomains']>>[number]) => ({
  object: 'sending_domain',
  name: domain,
  providers: warmUps.map(shownWarmUp),
})

const shownWarmUp = (one: Awaited<ReturnType<Listed['listSources']>>[number]['warmUps'][number]) => ({
  provider: one.provider,
  day: one.day,
  sent_today: one.sentToday,
  allowance: one.allowance,
  deferred_today: one.deferredToday,
  blocked: one.isBlocked,
  finished: one.isFinished,
})

const steering = (act: 'restart' | 'finish', done: string, summary: string): Command => ({
  name: `sources ${act}`,
  usage: 'NAME [--provider P] [--json]',
  summary,
  options: { provider: { type: 'string' }, ...JSON_FLAG },
  words: 1,
  async run({ config, words, flags, print }) {
    const warmUp = { ...identityOf(requireSources(config), words[0]!), provider: providerOf(flags.provider) }
    const { finishWarmUp, restartWarmUp } = await import('../../../features/operator/sources.ts')
    const steer = act === 'restart' ? restartWarmUp : finishWarmUp
    await withDatabase(config, (db) => steer(db, OPERATOR, warmUp))
    const { kind, identity, provider } = warmUp
    if (flags.json) return print(JSON.stringify({ object: `sources_${act}`, [kind]: identity, provider }))
    print(`Warm-up of ${identity} ${done} at ${provider ?? 'every provider'}.`)
  },
})

export const sourcesRestart = steering(
  'restart',
  'restarted',
  'Restart the warm-up of a source or sending domain, at one provider or at all: 50 messages today',
)

export const sourcesFinish = steering(
  'finish',
  'finished',
  'End the warm-up of a source or sending domain that providers know already, at one provider or at all',
)

function requireSources({ SOURCES }: Config): SourceSettings {
  if (!SOURCES)
    throw new OperatorError('There are no sources: POSTWREN_SOURCES names no file. See docs/operations/sources.md.')
  return SOURCES
}

function identityOf({ sources }: SourceSettings, given: string): { kind: 'source' | 'domain'; identity: string } {
  if (sources.some(({ name }) => name === given)) return { kind: 'source', identity: given }
  const domain = toAsciiDomain(given.trim())
  if (isDomain(domain)) return { kind: 'domain', identity: domain }
  throw new OperatorError(
    `There is no source ${oneLine(given)}. Sources: ${sources.map(({ name }) => name).join(', ')}. A sending domain is named like example.com.`,
  )
}

function providerOf(given: string | boolean | undefined): string | null {
  if (given === undefined) return null
  const name = String(given).toLowerCase()
  if (!isProvider(name))
    throw new OperatorError(
      `--provider must be one of ${PROVIDERS.map((one) => one.name).join(', ')}, not \`${oneLine(name)}\`.`,
    )
  return name
}
