import { type JoinedDatabase, joinDatabase, temporaryDataDir } from '../database.ts'
import { benchEmail } from '../email.ts'
import { postEach } from '../load.ts'
import { calm, cpuMicroseconds, familyCpuMicroseconds } from '../processes.ts'
import { note, progress } from '../progress.ts'
import { median, printReport, rate } from '../report.ts'
import { addDomain } from '../send.ts'
import { type Service, startService } from '../service.ts'
import { COUNTED, type Sites, startSites } from './sites.ts'

const SITES = 500
const DEAD_SITES = 50
const WARM_SITES = 50
const ROUNDS = 3
const CONNECTIONS = 64

interface Stage {
  readonly sites: Sites
  readonly service: Service
  readonly database: JoinedDatabase
}

/** What dead sites cost the others: the same mail to 500 sites, with 50 of them dead and with none, in turns. */
export async function direct({ emails, isForMachines }: { emails: number; isForMachines: boolean }) {
  const sites = await startSites()
  const none: number[] = []
  const some: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    none.push(await measure(sites, { name: `none-${round}`, dead: 0, emails }))
    some.push(await measure(sites, { name: `some-${round}`, dead: DEAD_SITES, emails }))
    note(`round ${round + 1} of ${ROUNDS}: ${(some[round]! / none[round]!).toFixed(2)} ×`)
  }
  await sites.stop()
  const row = {
    what: `${emails.toLocaleString('en')} emails to ${SITES} sites, ${DEAD_SITES} of them dead: rate of the others`,
    ours: rate(median(some), 'emails/s'),
    baseline: `${rate(median(none), 'emails/s')} (none dead)`,
    figure: median(some) / median(none),
    unit: '×',
    wanted: 'at least',
    must: 0.9,
    dream: 0.98,
  } as const
  printReport([row], isForMachines)
}

/**
 * Emails a second to the sites that are never dead, from the first request until the last of them has arrived. A service of its own: what
 * is left for dead sites would be on the way in the next round.
 */
async function measure(sites: Sites, run: { name: string; dead: number; emails: number }): Promise<number> {
  const dataDir = temporaryDataDir(`-${run.name}`)
  const service = await startService(dataDir, 'postwren serve', {
    POSTWREN_DELIVERY: 'direct',
    POSTWREN_DNS_SERVERS: sites.dns,
    POSTWREN_PRIVATE_ADDRESSES: 'allow',
    POSTWREN_HOSTNAME: 'mail.bench.dev',
  })
  const database = await joinDatabase(dataDir)
  const stage = { sites, service, database }
  await addDomain(service, database, 'bench.dev', 'ed25519')
  await deliver(stage, { name: `warm-${run.name}`, sites: WARM_SITES, left: 0, dead: 0, emails: 1_000 })
  await calm()
  progress(`${run.emails} emails, ${run.dead} of ${SITES} sites dead`)
  const before = usage(stage)
  const result = await deliver(stage, { ...run, sites: SITES, left: DEAD_SITES })
  const parts = Object.entries(usage(stage)).map(
    ([part, used]) => `${part} ${((used - before[part as keyof typeof before]) / run.emails).toFixed(0)} µs`,
  )
  note(`${run.dead} dead: ${rate(result, 'emails/s')}; CPU for each email: ${parts.join(', ')}`)
  await service.stop()
  await database.leave()
  return result
}

const usage = ({ service, database }: Stage) => ({
  service: cpuMicroseconds(service.pid),
  PostgreSQL: familyCpuMicroseconds(database.pid),
})

/** `left` sites, of which some or none are dead, are not counted. */
async function deliver(
  { sites, service }: Stage,
  run: { name: string; sites: number; left: number; dead: number; emails: number },
): Promise<number> {
  const domains = Array.from({ length: run.sites }, (_, n) => `s${n}.${run.name}.dev`)
  await sites.publish(domains, run.dead)
  const isLeft = (number: number) => number % run.sites < run.left
  const toOthers = Array.from({ length: run.emails }, (_, n) => n).filter((n) => !isLeft(n)).length
  const email = benchEmail('shop@bench.dev')
  const begin = performance.now()
  const arrived = sites.reached(toOthers)
  await postEach(`${service.url}/emails`, { connections: CONNECTIONS, amount: run.emails }, (number) => ({
    ...email,
    to: `${isLeft(number) ? 'left' : COUNTED}${number}@${domains[number % run.sites]}`,
  }))
  return toOthers / (((await arrived) - begin) / 1_000)
}
