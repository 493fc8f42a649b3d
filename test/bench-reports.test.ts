import { expect, test } from 'vitest'
import { mimeOf } from '../bench/peers/message.ts'
import { medians, roundAmount } from '../bench/peers/rounds.ts'
import { type PeerFigures, peerMarkdown } from '../bench/peers/table.ts'
import { descendantPids } from '../bench/processes.ts'
import { markdownRows } from '../bench/report.ts'

const ours: PeerFigures = {
  name: 'Postwren',
  version: '1.0.0',
  guarantee: 'on disk, synced',
  startMs: 900,
  idleMiB: 107.4,
  http: { acceptedPerSecond: 1_200, relayedPerSecond: null, cpuMs: 0.55 },
  smtp: { acceptedPerSecond: 900, relayedPerSecond: 800, cpuMs: 1.2 },
}

const inMemory: PeerFigures = {
  name: 'emulate',
  version: '0.12.2',
  guarantee: 'in memory',
  startMs: 610,
  idleMiB: 68,
  http: { acceptedPerSecond: 2_400, relayedPerSecond: null, cpuMs: 0.4 },
}

const relay: PeerFigures = {
  name: 'Postfix',
  version: '3.7.11',
  guarantee: 'on disk, synced',
  startMs: 400,
  idleMiB: 12,
  smtp: { acceptedPerSecond: 1_500, relayedPerSecond: 400, cpuMs: 2.5 },
}

const catcher: PeerFigures = {
  ...relay,
  name: 'MailDev',
  smtp: { acceptedPerSecond: 90, relayedPerSecond: null, cpuMs: 8 },
}

test('peers are shown beside ours, with what each promises', () => {
  const markdown = peerMarkdown({ figures: [ours, inMemory, relay, catcher], absent: [] }, '2 cores')

  expect(markdown).toContain('| emulate 0.12.2 | 2,400 emails/s | 0.50 × | 0.40 ms | in memory |')
  expect(markdown).toContain('| Postwren 1.0.0 | 900 emails/s | 800 emails/s |  | 1.20 ms | on disk, synced |')
  expect(markdown).toContain('| Postfix 3.7.11 | 1,500 emails/s | 400 emails/s | 2.00 × | 2.50 ms |')
  expect(markdown).toContain('| Postwren 1.0.0 | 0.90 s | 107 MiB |')
})

test('a peer that keeps what it takes is compared by what it accepts', () => {
  const markdown = peerMarkdown({ figures: [ours, catcher], absent: [] }, '2 cores')

  expect(markdown).toContain('| MailDev 3.7.11 | 90 emails/s | kept | 10.00 × |')
})

test('a peer that cannot be had here is named with the reason, and a table without rows is left out', () => {
  const absent = [{ name: 'Exim', reason: 'no package' }]
  const markdown = peerMarkdown({ figures: [inMemory], absent }, '2 cores')

  expect(markdown).toContain('Not here: Exim (no package)')
  expect(markdown).not.toContain('| SMTP |')
})

test('each round is as long as the next one, within bounds', () => {
  expect(roundAmount(500)).toBe(2_000)
  expect(roundAmount(3)).toBe(100)
  expect(roundAmount(50_000)).toBe(4_000)
})

test('what a peer did is the median of its rounds', () => {
  const rounds = [900, 100, 1_000].map((value) => ({
    acceptedPerSecond: value,
    relayedPerSecond: value / 2,
    cpuMs: value / 100,
  }))

  expect(medians(rounds)).toEqual({ acceptedPerSecond: 900, relayedPerSecond: 450, cpuMs: 9 })
  expect(medians(rounds.map((round) => ({ ...round, relayedPerSecond: null }))).relayedPerSecond).toBeNull()
})

test('the message of the peers is safe to write on the wire', () => {
  const message = mimeOf({
    from: 'a@bench.dev',
    to: 'b@sink.dev',
    subject: 'Hello',
    html: `<p>${'many words '.repeat(50)}</p>`,
    text: 'many words '.repeat(50),
  })
  const lines = message.split('\r\n')

  expect(lines.filter((line) => line.length > 78 || line.startsWith('.'))).toEqual([])
  expect(message.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
  expect(message).toContain('From: a@bench.dev\r\nTo: b@sink.dev\r\nSubject: Hello\r\n')
})

test('figures are printed as rows of the table in the README', () => {
  const row = { unit: '×', wanted: 'at least', must: 1, dream: null } as const
  const rows = [
    { ...row, what: 'accepted', ours: '900 emails/s', baseline: '1,000 emails/s (pgbench)', figure: 0.9 },
    { ...row, what: 'idle', ours: '107 MiB', baseline: null, figure: 107.4, unit: 'MiB' as const },
  ]

  expect(markdownRows(rows)).toBe(
    '| accepted | 900 emails/s | 1,000 emails/s (pgbench) | 0.90 × |\n| idle | 107 MiB | – | 107 MiB |',
  )
})

test('a process is the first of its descendants', () => {
  expect(descendantPids(process.pid)[0]).toBe(process.pid)
  expect(descendantPids(process.ppid)).toContain(process.pid)
})
