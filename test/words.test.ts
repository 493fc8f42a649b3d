import { describe, expect, test } from 'vitest'
// @ts-expect-error: plain JavaScript, as it runs before anything is installed.
import { metaphors, nameless } from '../scripts/check-words.mjs'

describe('a log line', () => {
  test.each([
    ["log.warn('it broke')", ['it broke']],
    ["this.#log?.error({ error, facts: of(1, 'two: three') }, 'it broke')", ['it broke']],
    [`log[levelOf(error, 'warn')](\n  { error },\n  \`job \${name} failed\`,\n)`, [`job \${name} failed`]],
    ["log.info(isUp ? 'database: up' : 'it is down')", ['it is down']],
    ["new RepeatedErrors(log, 'a session failed')", ['a session failed']],
    ["new LoopShell(parts, 'clock worker')", ['clock worker']],
    ["log.info('webhooks: claiming due deliveries failed')", []],
    [`log.warn({ rows }, \`\${worker}: took over\`)`, []],
    ['log.info(message)', []],
  ])('%s', (text, faults) => {
    expect(nameless(text).map(({ what }: { what: string }) => what)).toEqual(faults)
  })
})

describe('a name', () => {
  test.each([
    ['export interface ThreadPlace {', ['ThreadPlace']],
    ['const openDoors = () => 1', ['openDoors']],
    ['export const MOST_ROWS = 5', ['MOST_ROWS']],
    ['export type Placeholder = string', []],
    ['async function replaceAll() {', []],
    ['const MAX_ROWS = 5', []],
  ])('%s', (text, faults) => {
    expect(metaphors(text).map(({ what }: { what: string }) => what)).toEqual(faults)
  })
})
