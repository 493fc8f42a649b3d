import { appendFileSync, mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../clock.ts'
import { RotatedFile } from './rotated-file.ts'

function startFile({ maxBytes = 1_000, maxFiles = 3 } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'postwren-attempts-'))
  const path = join(folder, 'attempts.jsonl')
  let moment = Date.parse('2026-11-15T01:00:00Z')
  const now = () => {
    moment += 1_000
    return new Date(moment)
  }
  const openFile = () => {
    const file = new RotatedFile({ path, maxBytes, maxFiles, clock: { now } })
    onTestFinished(() => file.close())
    return file
  }
  return { folder, path, openFile, read: () => readFileSync(path, 'utf8') }
}

test('lines are added at the end, and only the operator may read them', async () => {
  const { path, openFile, read } = startFile()
  await openFile().append(['{"a":1}', '{"a":2}'])
  await openFile().append(['{"a":3}'])

  expect(read()).toBe('{"a":1}\n{"a":2}\n{"a":3}\n')
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('a file that is long enough is put aside, and the oldest go', async () => {
  const { folder, openFile } = startFile({ maxBytes: 100, maxFiles: 3 })
  const file = openFile()
  for (let number = 0; number < 10; number++) await file.append([`{"number":${number},"text":"${'x'.repeat(100)}"}`])

  const names = readdirSync(folder).sort()
  expect(names).toHaveLength(3)
  const numbers = names.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')).number).sort()
  expect(numbers).toEqual([7, 8, 9])
})

test('two processes write to one file: nothing is lost when one of them puts it aside', async () => {
  const { folder, openFile } = startFile({ maxBytes: 2_000, maxFiles: 50 })
  const [one, other] = [openFile(), openFile()]
  const write = async (file: RotatedFile, name: string) => {
    for (let number = 0; number < 100; number++)
      await file.append([JSON.stringify({ name, number, text: 'x'.repeat(50) })])
  }
  await Promise.all([write(one, 'a'), write(other, 'b')])

  const lines = readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n'))
  expect(new Set(lines.map((line) => JSON.parse(line)).map(({ name, number }) => `${name}${number}`)).size).toBe(200)
  expect(readdirSync(folder).length).toBeGreaterThan(2)
})

test('after a crash in the middle of a line the next one is a line of its own', async () => {
  const { path, openFile, read } = startFile()
  await openFile().append(['{"a":1}'])
  appendFileSync(path, '{"a":2,"te')
  await openFile().append(['{"a":3}'])

  expect(read()).toBe('{"a":1}\n{"a":2,"te\n{"a":3}\n')
})

test('a full disk is an error each time, and what follows is written when there is room', async () => {
  const full = new RotatedFile({ path: '/dev/full', maxBytes: 100, maxFiles: 2, clock: systemClock })

  await expect(full.append(['{"a":1}'])).rejects.toMatchObject({ code: 'ENOSPC' })
  await expect(full.append(['{"a":1}'])).rejects.toMatchObject({ code: 'ENOSPC' })
})

test('a folder that is not there is an error', async () => {
  const file = new RotatedFile({ path: '/nowhere/attempts', maxBytes: 100, maxFiles: 2, clock: systemClock })

  await expect(file.append(['{}'])).rejects.toMatchObject({ code: 'ENOENT' })
})
