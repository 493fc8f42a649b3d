import { setTimeout as delay } from 'node:timers/promises'
import { benchEmail } from '../email.ts'
import { calm, descendantPids, memoryMiB } from '../processes.ts'
import { note, progress } from '../progress.ts'
import { startSink } from '../sink.ts'
import { exim, openSmtpd } from './debian-mail-servers.ts'
import { emulate, resendLocal } from './emulators.ts'
import { haraka, mailDev, postfix } from './mail-servers.ts'
import type { Peer } from './peer.ts'
import { postwrenInbox, postwrenRelay, SENDING_DOMAIN } from './postwren.ts'
import { type Contender, type Kind, measureRounds, type Workplace } from './rounds.ts'
import { startSmtpLoadClient } from './smtp-load.ts'
import { type PeerFigures, type PeerReport, printPeerReport } from './table.ts'

/** Ours first: the ratios are against it. */
const PEERS: readonly Peer[] = [
  postwrenInbox,
  emulate,
  resendLocal,
  postwrenRelay,
  postfix,
  exim,
  openSmtpd,
  haraka,
  mailDev,
]

const IDLE_MS = 3_000
const ROUNDS = 3

/** What others accept and relay of the same work on the same machine in the same minutes. `names` are those to look at; none are all. */
export async function peers({ isForMachines, names }: { isForMachines: boolean; names: readonly string[] }) {
  const sink = await startSink()
  const email = benchEmail(`shop@${SENDING_DOMAIN}`)
  const workplace: Workplace = { sink, email, smtpClient: startSmtpLoadClient() }
  const absent: PeerReport['absent'][number][] = []
  const contenders: Contender[] = []
  for (const peer of PEERS.filter(({ name }) => isWanted(name, names))) {
    try {
      contenders.push(await bringUp(peer, workplace))
    } catch (error) {
      absent.push({ name: peer.name, reason: reasonOf(error) })
      note(`${peer.name} is not here: ${reasonOf(error)}`)
    }
  }
  const figures = new Map<Contender, PeerFigures>(
    contenders.map((contender) => {
      const { peer, version, running, idleMiB } = contender
      return [contender, { name: peer.name, version, guarantee: peer.guarantee, startMs: running.startMs, idleMiB }]
    }),
  )
  for (const kind of ['http', 'smtp'] satisfies Kind[]) {
    const { results, failures } = await measureRounds(kind, contenders, workplace, ROUNDS)
    for (const [contender, result] of results) figures.set(contender, { ...figures.get(contender)!, [kind]: result })
    for (const [contender, reason] of failures) absent.push({ name: `${contender.peer.name} (${kind})`, reason })
  }
  for (const { running } of contenders) await running.stop()
  await sink.stop()
  printPeerReport({ figures: [...figures.values()], absent }, isForMachines)
}

const isWanted = (name: string, names: readonly string[]) =>
  names.length === 0 ||
  name.startsWith('Postwren') ||
  names.some((wanted) => wanted.toLowerCase() === name.toLowerCase())

/** A first start brings its files into memory; the second one is told. */
async function bringUp(peer: Peer, workplace: Workplace): Promise<Contender> {
  progress(`fetching ${peer.name}`)
  const { version } = await peer.install()
  progress(`starting ${peer.name}`)
  if (!peer.name.startsWith('Postwren')) await (await peer.start(workplace)).stop()
  await calm()
  const running = await peer.start(workplace)
  await delay(IDLE_MS)
  return { peer, version, running, idleMiB: memoryMiB(descendantPids(running.pid)) }
}

const reasonOf = (error: unknown) =>
  (error instanceof Error ? error.message : String(error)).trim().split('\n').slice(0, 3).join(' ')
