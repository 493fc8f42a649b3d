import { refusedIn } from '../../../features/emails/delivery/pace/pauses.ts'
import type {
  CeilingLayer,
  Choice,
  ExplainedCeiling,
  Explanation,
} from '../../../features/emails/delivery/queue/explain.ts'
import type { SummaryGroup } from '../../../features/emails/delivery/queue/queue-summary.ts'
import type { Config } from '../../../platform/settings/config.ts'
import { oneLine } from '../command.ts'
import { isoOf } from './filter.ts'
import { ageOf, durationText, paceJson, pauseJson, rateText, shortened, stopJson, stopText } from './shown.ts'

// What `queue explain` prints.

interface Around {
  readonly config: Pick<Config, 'HOLD' | 'MTA_STS'>
  readonly now: Date
}

export function linesOf(explanation: Explanation, around: Around): string[] {
  return [
    `Mail for ${explanation.domain}`,
    '',
    ...section('Mail servers', serverLines(explanation)),
    ...section('Destination', destinationLines(explanation)),
    ...section('TLS', tlsLines(explanation, around)),
    ...section('Route', choiceLines(explanation.routes, 'then ')),
    ...section('Source', choiceLines(explanation.sources, 'or ')),
    ...section('Ceilings', ceilingLines(explanation.ceilings)),
    ...section('On hold', holdLines(explanation, around)),
    ...section('Pauses', [...(explanation.stop ? [stopText(explanation.stop)] : []), ...pauseLines(explanation)]),
    ...section('Pace', paceLines(explanation)),
    ...section('In the queue', waitingLines(explanation, around)),
    ...section('Expected', expectedLines(explanation, around)),
  ].map(oneLine)
}

const TITLE_WIDTH = 14

const section = (title: string, lines: readonly string[]) =>
  lines.map((line, index) => `${(index === 0 ? title : '').padEnd(TITLE_WIDTH)}${line}`)

function serverLines({ hosts, outcome, routes, isDirect }: Explanation): string[] {
  if (!isDirect) return [`not looked up: it goes to ${routes[0]!.name}`]
  if (hosts.length === 0) return [outcome ? `none: ${outcome.reply}` : 'none']
  const width = Math.max(...hosts.map(({ host }) => host.length))
  return hosts.map(
    ({ host, addresses, provider }) =>
      `${host.padEnd(width)}  ${provider ?? 'no known provider'}  ${shortened(addresses.join(' '), 80)}`,
  )
}

function destinationLines({ destination, hosts, outcome }: Explanation): string[] {
  if (!destination) return [`nowhere: each recipient is ${outcome!.kind}: ${outcome!.reply}`]
  const { name, provider, queue, site, problem } = destination
  const known = hosts.filter((host) => host.provider !== null)
  const why =
    provider !== null
      ? `the provider: ${hosts.length === 1 ? 'its mail server is' : `all ${hosts.length} mail servers are`} its own`
      : known.length > 0
        ? `a site: only ${known.length} of ${hosts.length} mail servers ${known.length === 1 ? 'is' : 'are'} of ${known[0]!.provider}, and a provider has all of them`
        : 'a site: its mail servers are of no known provider'
  return [
    hosts.length > 0 ? `${name} (${why})` : name,
    ...(provider !== null ? [`site: ${site}`] : []),
    ...(queue === name ? [] : [`the domain has ceilings of its own, and so its own connections and queue: ${queue}`]),
    ...(problem === null ? [] : [problem]),
  ]
}

function tlsLines({ policy, destination, hosts, isDirect }: Explanation, { config }: Around): string[] {
  if (!isDirect) return []
  if (!policy) return [config.MTA_STS === 'off' ? 'MTA-STS is off (POSTWREN_MTA_STS)' : 'no policy is known']
  const left = hosts.map(({ host }) => host).filter((host) => destination && !destination.hosts.includes(host))
  return [
    policy.mode === 'none' ? 'no MTA-STS policy' : `MTA-STS policy: ${policy.mode}, mx ${policy.mx.join(', ')}`,
    ...(policy.problem ? [`its policy could not be read: ${policy.problem.reason}`] : []),
    ...(destination?.tlsDemandedBy ? [`TLS and a proof of the name are demanded by ${destination.tlsDemandedBy}`] : []),
    ...(left.length > 0 ? [`left out, since the policy does not name them: ${left.join(', ')}`] : []),
  ]
}

const choiceLines = (choices: readonly Choice[], next: string): string[] =>
  choices.map(({ name, why }, index) => `${index === 0 ? '' : next}${name} (${why})`)

const ceilingLines = (ceilings: readonly ExplainedCeiling[]): string[] =>
  ceilings.map(({ key, layers }) => {
    const [binding, ...others] = [...layers].reverse()
    const instead = others.map((layer) => `${valueText(key, layer.value)} of ${sourceOf(layer)}`).join('; ')
    return `${key.padEnd(25)}${valueText(key, binding!.value).padEnd(15)}${sourceOf(binding!)}${instead && `; over ${instead}`}`
  })

const sourceOf = ({ layer, where }: CeilingLayer) => `${layer} (${where})`

function valueText(key: string, value: unknown): string {
  if (value === null || value === undefined) return 'none'
  if (key === 'rate') return rateText(value as number)
  return key.endsWith('_timeout') ? durationText(value as number) : String(value)
}

const someOf = (reach: string) => (reach === 'some' ? ' (some of this mail)' : '')

const holdLines = ({ holds, isTeamSuspended }: Explanation, { config }: Around): string[] => [
  ...(config.HOLD === 'on' ? ['everything (POSTWREN_HOLD)'] : []),
  ...(isTeamSuspended ? ['the team is suspended'] : []),
  ...holds.map(({ createdAt, reason, reach }) => `since ${isoOf(createdAt)}${someOf(reach)}: ${reason}`),
]

const pauseLines = ({ pauses }: Explanation): string[] =>
  pauses.map(
    (pause) =>
      `until ${isoOf(pause.pausedUntil)}${someOf(pause.reach)}: ${pause.destination} refuses ${refusedIn(pause)}: ${shortened(pause.reply, 160)}`,
  )

const paceLines = ({ controllers, destination }: Explanation): string[] => {
  if (!destination) return []
  if (controllers.length === 0) return ['nobody has asked for less']
  return controllers.map(
    (one) =>
      `${rateText(one.state.rate)} for ${refusedIn(one)}${someOf(one.reach)}, since ${isoOf(new Date(one.state.cutAt))}: ${shortened(one.reply, 160)}`,
  )
}

function waitingLines({ domain, waiting, destination }: Explanation, { now }: Around): string[] {
  const atLeast = waiting.isComplete ? '' : 'at least '
  return [
    `for ${domain}: ${atLeast}${countsOf(waiting.domain, now)}`,
    ...(destination && waiting.destination
      ? [`for ${destination.name}: ${atLeast}${countsOf(waiting.destination, now)}`]
      : []),
    ...(waiting.domain?.lastReply ? [`last reply: ${shortened(waiting.domain.lastReply.reply, 160)}`] : []),
  ]
}

function countsOf(group: SummaryGroup | null, now: Date): string {
  if (!group) return 'nothing waits'
  const { waiting, inFlight, deferred, held, scheduled, approval, oldestAt } = group
  const counts = [
    `${waiting} waiting`,
    `${inFlight} in flight`,
    `${deferred} deferred`,
    ...(held > 0 ? [`${held} held`] : []),
    ...(scheduled > 0 ? [`${scheduled} scheduled`] : []),
    ...(approval > 0 ? [`${approval} waiting for approval`] : []),
  ].join(', ')
  return oldestAt ? `${counts}; the oldest for ${ageOf(oldestAt, now)}` : counts
}

function expectedLines({ expected, destination, stop }: Explanation, { now }: Around): string[] {
  if (!destination) return []
  const { rate, boundBy, notBefore, lastLeavesAt } = expected
  return [
    ...(stop ? ['nothing until one message is answered; after that:'] : []),
    rate === null ? 'as fast as the connections allow' : `${rateText(rate)}, by ${boundBy}`,
    ...(notBefore ? [`nothing before ${isoOf(notBefore)}`] : []),
    ...(lastLeavesAt
      ? [`at this rate the last of what waits leaves at ${isoOf(lastLeavesAt)}, in ${ageOf(now, lastLeavesAt)}`]
      : []),
  ]
}

export const jsonOf = (explanation: Explanation) => {
  const { domain, hosts, destination, outcome, policy, routes, sources, ceilings, expected } = explanation
  return {
    object: 'queue_explanation',
    domain,
    mail_servers: hosts,
    destination: destination && {
      ...{ name: destination.name, provider: destination.provider, site: destination.site, queue: destination.queue },
      ...{ tls_demanded_by: destination.tlsDemandedBy, mail_servers: destination.hosts, problem: destination.problem },
    },
    outcome,
    mta_sts: policy && {
      mode: policy.mode,
      mx: policy.mx,
      max_age: policy.maxAgeSeconds,
      problem: policy.problem ?? null,
    },
    routes: routes.map(({ name, why }) => ({ name, why })),
    sources: sources.map(({ name, why }) => ({ name, why })),
    ceilings: ceilings.map(({ key, value, layers }) => ({
      key,
      value,
      layers: layers.map(({ isBinding, ...layer }) => ({ ...layer, binds: isBinding })),
    })),
    team_suspended: explanation.isTeamSuspended,
    holds: explanation.holds.map(({ id, reason, createdAt, reach }) => ({ id, reason, created_at: createdAt, reach })),
    stop: explanation.stop && stopJson(explanation.stop),
    pauses: explanation.pauses.map((pause) => ({ ...pauseJson(pause), reach: pause.reach })),
    controllers: explanation.controllers.map((one) => ({ ...paceJson(one), reach: one.reach })),
    waiting: {
      domain: shownGroup(explanation.waiting.domain),
      destination: shownGroup(explanation.waiting.destination),
      is_complete: explanation.waiting.isComplete,
    },
    expected: {
      rate: expected.rate,
      bound_by: expected.boundBy,
      not_before: expected.notBefore,
      last_leaves_at: expected.lastLeavesAt,
    },
  }
}

const shownGroup = (group: SummaryGroup | null) =>
  group && {
    ...{ waiting: group.waiting, in_flight: group.inFlight, deferred: group.deferred },
    ...{ held: group.held, scheduled: group.scheduled, approval: group.approval },
    ...{ oldest_at: group.oldestAt, last_reply: group.lastReply },
  }
