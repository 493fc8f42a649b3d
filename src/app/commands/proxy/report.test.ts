import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { newReport, Report } from './report.ts'
import { readReport, writeReport } from './report-file.ts'
import { reportLines, verdictLine } from './report-text.ts'

const NOW = new Date('2026-01-02T03:04:05Z')
const CALL = { isWriting: true, now: NOW }
const different = (path: string, theirs = 'a') => ({
  kind: 'different' as const,
  differences: [{ path, theirs, ours: 'b' }],
  extras: [],
})

function reported() {
  const report = new Report(newReport('https://api.example.com', NOW))
  report.add({ operation: 'POST /emails', verdict: { kind: 'same', extras: ['more'] } }, CALL)
  report.add({ operation: 'POST /emails', verdict: { kind: 'not_comparable', reason: 'behind' } }, CALL)
  report.add({ operation: 'GET /emails/:id', verdict: different('html') }, CALL)
  report.add({ operation: 'GET /emails/:id', verdict: different('html') }, CALL)
  report.add({ operation: 'GET /topics', verdict: { kind: 'failed', detail: '500 no' } }, { ...CALL, isWriting: false })
  return report
}

test('the last line says all that counts', () => {
  expect(verdictLine(reported().data)).toBe(
    '5 calls, 3 operations, 1 difference in 1 operation: GET /emails/:id (html). Our side failed 1 time. 1 change did not reach our side: later differences may follow from that.',
  )
  expect(verdictLine({ ...newReport('https://api.example.com', NOW), waiting: 2 })).toBe(
    '0 calls, 0 operations, no differences. 2 more calls to be compared.',
  )
})

test('the report has what differs first, with examples and reasons', () => {
  expect(reportLines(reported().data).join('\n')).toBe(`Upstream https://api.example.com, since 2026-01-02 03:04 UTC

OPERATION        CALLS  SAME  DIFFERENT  NOT COMPARED  OURS FAILED
GET /emails/:id  2      0     2          0             0
GET /topics      1      0     0          0             1
POST /emails     2      1     0          1             0

GET /emails/:id
  html, 2 times
    theirs a · ours b

GET /topics
  our side failed, 1 time: 500 no

POST /emails
  not compared, 1 time: our side was behind
  only in our answers: more

${verdictLine(reported().data)}`)
})

test('it stays small, whatever comes', () => {
  const report = new Report(newReport('https://api.example.com', NOW))
  for (let index = 0; index < 1_000; index++) {
    report.add({ operation: `GET /${index}`, verdict: different('status') }, CALL)
    report.add({ operation: 'GET /emails', verdict: different(`field ${index}`, String(index)) }, CALL)
    report.add({ operation: 'GET /topics', verdict: different('name', String(index)) }, CALL)
  }

  expect(Object.keys(report.data.operations).length).toBeLessThanOrEqual(301)
  expect(report.data.operations['GET /emails']).toMatchObject({ different: 1_000, more_differences: 960 })
  expect(report.data.operations['GET /topics']!.differences).toMatchObject([{ count: 1_000, examples: { length: 3 } }])
  expect(JSON.stringify(report.data).length).toBeLessThan(200_000)
})

test('it outlives its process', () => {
  const folder = mkdtempSync(join(tmpdir(), 'postwren-report-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  expect(readReport(folder)).toBeNull()
  writeReport(folder, reported().data)

  expect(readReport(folder)).toEqual(reported().data)
})
