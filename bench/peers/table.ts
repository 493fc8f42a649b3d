import { machine } from '../machine.ts'
import { mebibytes, rate, seconds } from '../report.ts'

export interface WorkFigures {
  readonly acceptedPerSecond: number
  /** Null: it keeps what it takes. */
  readonly relayedPerSecond: number | null
  /** CPU of all its processes for each, until nothing is left to do. */
  readonly cpuMs: number
}

export interface PeerFigures {
  readonly name: string
  readonly version: string
  readonly guarantee: string
  readonly startMs: number
  readonly idleMiB: number
  readonly http?: WorkFigures
  readonly smtp?: WorkFigures
}

export interface PeerReport {
  readonly figures: readonly PeerFigures[]
  readonly absent: readonly { name: string; reason: string }[]
}

export function printPeerReport(report: PeerReport, isForMachines: boolean) {
  console.log(
    isForMachines ? JSON.stringify({ machine: machine(), ...report }, null, 2) : peerMarkdown(report, machine()),
  )
}

/** What goes into the documentation as it is. The ratios are ours to theirs: above 1, ours is faster. */
export function peerMarkdown({ figures, absent }: PeerReport, machineName: string): string {
  const blocks = [
    `${machineName}. Medians of alternating rounds, 64 connections.`,
    httpTable(figures.filter(({ http }) => http)),
    smtpTable(figures.filter(({ smtp }) => smtp)),
    restTable(figures),
    ...absent.map(({ name, reason }) => `Not here: ${name} (${reason})`),
  ]
  return `${blocks.filter(Boolean).join('\n\n')}\n`
}

function httpTable(figures: readonly PeerFigures[]): string {
  const ours = figures[0]?.http
  return table(
    ['`POST /emails`', 'accepted', 'ours is', 'CPU for each', 'when it answers, the email is'],
    figures.map(({ name, version, guarantee, http }) => [
      `${name} ${version}`,
      rate(http!.acceptedPerSecond, 'emails/s'),
      http === ours ? '' : times(ours!.acceptedPerSecond / http!.acceptedPerSecond),
      milliseconds(http!.cpuMs),
      guarantee,
    ]),
  )
}

function smtpTable(figures: readonly PeerFigures[]): string {
  const ours = figures[0]?.smtp
  return table(
    ['SMTP', 'accepted', 'relayed', 'ours is', 'CPU for each', 'when it answers, the email is'],
    figures.map(({ name, version, guarantee, smtp }) => [
      `${name} ${version}`,
      rate(smtp!.acceptedPerSecond, 'emails/s'),
      smtp!.relayedPerSecond === null ? 'kept' : rate(smtp!.relayedPerSecond, 'emails/s'),
      smtp === ours ? '' : times(paceOf(ours!, smtp!)),
      milliseconds(smtp!.cpuMs),
      guarantee,
    ]),
  )
}

/** Relayed against relayed; against one that keeps what it takes, accepted. */
function paceOf(ours: WorkFigures, theirs: WorkFigures): number {
  if (ours.relayedPerSecond === null || theirs.relayedPerSecond === null)
    return ours.acceptedPerSecond / theirs.acceptedPerSecond
  return ours.relayedPerSecond / theirs.relayedPerSecond
}

const restTable = (figures: readonly PeerFigures[]) =>
  table(
    ['at rest', 'start to first answer', 'memory, all processes'],
    figures.map(({ name, version, startMs, idleMiB }) => [`${name} ${version}`, seconds(startMs), mebibytes(idleMiB)]),
  )

function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return ''
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(headings), `|${'---|'.repeat(headings.length)}`, ...rows.map(line)].join('\n')
}

const times = (value: number) => `${value.toFixed(2)} ×`
const milliseconds = (value: number) => `${value.toFixed(2)} ms`
