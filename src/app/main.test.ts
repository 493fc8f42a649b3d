import { expect, onTestFinished, test, vi } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { run } from './main.ts'

// What a user is told, in this process: to start one for each of these takes 0.4 s of CPU. The way from there to a terminal is
// tested in test/processes/cli.test.ts.

const COMMANDS = [
  ...['serve', 'team create', 'team list', 'team delete', 'team suspend', 'team unsuspend', 'team limits'],
  ...['key create', 'key list', 'key revoke'],
  ...['migrate', 'queue list', 'queue cancel', 'queue hold', 'queue release', 'queue holds', 'queue retry', 'doctor'],
]

async function told(words: string[]) {
  const before = process.exitCode
  const said = { stdout: '', stderr: '' }
  const listeners = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      said[name] += text
      return true
    }),
  )
  try {
    await run(words)
    return { ...said, code: process.exitCode ?? 0 }
  } finally {
    process.exitCode = before
    for (const listener of listeners) listener.mockRestore()
  }
}

test.each([['--version'], ['-v'], ['version']])('`postwren %s` prints the version alone', async (word) => {
  expect(await told([word])).toEqual({ code: 0, stdout: `${packageJson.version}\n`, stderr: '' })
})

test.each([['--help'], ['-h'], ['help']])('`postwren %s` names every command', async (word) => {
  const { code, stdout, stderr } = await told([word])

  expect([code, stderr]).toEqual([0, ''])
  for (const command of COMMANDS) expect(stdout).toContain(`  ${command} `)
})

test.each(COMMANDS)('`postwren %s --help` says how to use it, and does nothing', async (command) => {
  vi.stubEnv('POSTWREN_DATABASE_URL', 'postgres://127.0.0.1:1/nowhere')
  onTestFinished(() => void vi.unstubAllEnvs())

  const { code, stdout, stderr } = await told([...command.split(' '), '--help'])

  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(new RegExp(`^postwren ${command} .*\\n\\n\\w.*\\.\\n$`))
})

test.each([
  { words: ['frobnicate'], expected: /^There is no command `frobnicate`\. See: postwren --help$/m },
  { words: ['keys', 'list'], expected: /^There is no command `keys list`\.$/m },
  { words: ['keys', 'list'], expected: /^Did you mean:\n {2}key list \[--team T\]/ },
  { words: ['dcotor'], expected: /^ {2}doctor /m },
  { words: ['team', 'creat', 'x'], expected: /^Did you mean:\n {2}team create NAME .*\n(?! )/m },
  { words: ['key', 'create', ''], expected: /^The name of a key must not be empty\.$/m },
  { words: ['key', 'create', 'a\nb'], expected: /^The name of a key must not have line breaks/ },
  { words: ['team', 'create', ' \t'], expected: /^The name of a team must not be empty\.$/m },
  { words: ['team', 'create', 'x'.repeat(101)], expected: /^The name of a team can have at most 100 characters\.$/m },
  { words: ['key'], expected: /key create NAME/ },
  { words: ['key', 'create'], expected: /^Usage: postwren key create NAME/ },
  { words: ['team', 'create', 'a', 'b'], expected: /^Usage: postwren team create NAME/ },
  { words: ['serve', '--wat'], expected: /^Unknown option '--wat'\. See: postwren serve --help\n$/ },
  { words: ['queue', 'list', '--limit', '-1'], expected: /^Option '--limit' .*\. See: postwren queue list --help\n$/ },
  {
    words: ['queue', 'list', '--limit'],
    expected: /^Option '--limit <value>' .*\. See: postwren queue list --help\n$/,
  },
  { words: ['queue', 'lsit'], expected: /^There is no command `queue lsit`\.$/m },
  { words: ['queue', 'lsit'], expected: /^Did you mean:\n {2}queue list / },
  { words: ['queue', 'show'], expected: /^ {2}queue explain DOMAIN/m },
])('words that mean nothing end with 1 and are told the right ones: $words', async ({ words, expected }) => {
  const { code, stdout, stderr } = await told(words)

  expect(code).toBe(1)
  expect(stdout + stderr).toMatch(expected)
  expect(stdout + stderr).not.toMatch(/^ {4}at /m)
})
