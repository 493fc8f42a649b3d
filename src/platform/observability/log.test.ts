import { hostname } from 'node:os'
import { expect, test } from 'vitest'
import packageJson from '../../../package.json' with { type: 'json' }
import { createLog, nameNode } from './log.ts'

function start(options: Partial<Parameters<typeof createLog>[0]> = {}) {
  const lines: string[] = []
  const destination = { write: (line: string) => void lines.push(line) }
  return { log: createLog({ level: 'info', isTerminal: false, destination, ...options }), lines }
}

const parsed = (lines: readonly string[]) => lines.map((line) => JSON.parse(line))

test('a line has the component before the colon of its message, its node and the version', () => {
  const { log, lines } = start()

  log.info('smtp: listening')
  log.warn({ team: 'acme' }, 'live feed: reading the outbox failed')
  nameNode(log, () => 17)
  log.error({ error: new Error('no') }, 'smtp: closing failed')

  const { version } = packageJson
  expect(parsed(lines)).toMatchObject([
    { component: 'smtp', node: hostname(), version, msg: 'smtp: listening' },
    { component: 'live feed', node: hostname(), version, team: 'acme' },
    { component: 'smtp', node: 17, version, error: { message: 'no' }, level: 50 },
  ])
})

test('a node that has rejoined under another number is called by it', () => {
  const { log, lines } = start({ process: 2 })
  let node = 17
  nameNode(log, () => node)

  log.info('service: one')
  node = 18
  log.info('service: two')

  expect(parsed(lines)).toMatchObject([
    { node: 17, process: 2 },
    { node: 18, process: 2 },
  ])
})

test('what is no component is none, and no name occurs twice in a line', () => {
  const { log, lines } = start()

  log.info('Error: not found')
  log.info('no colon')
  log.info(`${'x'.repeat(31)}: too long`)
  log.info({ msg: 'hidden' })
  log.info({ team: 'acme' }, 'delivery: attempt')

  expect(parsed(lines).map(({ component }) => component)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    'delivery',
  ])
  for (const line of lines) {
    const names = [...line.matchAll(/"(\w+)":/g)].map(([, name]) => name)
    expect(names).toEqual([...new Set(names)])
  }
})

test('names without end take no memory without end, and the lines are written all the same', () => {
  const { log, lines } = start()
  const nameOf = (index: number) =>
    [...index.toString(26)].map((digit) => String.fromCharCode(97 + Number.parseInt(digit, 26))).join('')

  for (let index = 0; index < 1_000; index++) log.info(`${nameOf(index)}: x`)

  expect(lines).toHaveLength(1_000)
  expect(parsed(lines).filter(({ component }) => component).length).toBe(200)
})

test('a child of the log has its own facts, and the component', () => {
  const { log, lines } = start()

  log.child({ request: 1 }).info('http: answered')
  log.info('http: listening')

  expect(parsed(lines)).toMatchObject([{ request: 1, component: 'http' }, { component: 'http' }])
  expect(lines[1]).not.toContain('request')
})

test('a level that is not wanted costs no line', () => {
  const { log, lines } = start({ level: 'warn' })

  log.info('smtp: listening')

  expect(lines).toEqual([])
})
