import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { CACHE, type Finished, runNode, versionOf } from '../packages.ts'
import { brief, differences, Score } from '../score.ts'
import { type Json, until, type World } from '../world.ts'

const PROGRAM = join('node_modules', 'resend-cli', 'dist', 'cli.cjs')

/** What a table shows when a field is not as the client expects it. */
const BROKEN = /\bundefined\b|\[object Object\]|\bNaN\b|Invalid Date/

/** The CLI, one run after the other. What only reads is run twice: for a program, and for a person. */
export class CliTrial {
  readonly score = new Score('CLI', versionOf('resend-cli'))
  readonly world: World
  readonly #run = new Set<string>()
  readonly #environment: Record<string, string>

  constructor(world: World) {
    this.world = world
    const home = join(CACHE, `home-${process.pid}`)
    mkdirSync(home, { recursive: true })
    this.#environment = {
      HOME: home,
      XDG_CONFIG_HOME: home,
      RESEND_API_KEY: world.token,
      RESEND_BASE_URL: world.url,
      RESEND_CREDENTIAL_STORE: 'file',
      RESEND_TELEMETRY_DISABLED: '1',
      RESEND_NO_UPDATE_NOTIFIER: '1',
      NO_COLOR: '1',
      // Its SDK prints every refusal to stderr otherwise, beside the JSON of the CLI itself.
      NODE_ENV: 'production',
    }
  }

  /** Runs a command that must succeed, and gives back what it printed. `words` begin with the command. */
  async run(command: string, words: readonly string[] = [], expected: unknown = {}, input?: string): Promise<Json> {
    const finished = await this.#start(command, [...words, '--json'], [], input)
    const data = parsed(finished.stdout)
    const reasons = finished.code === 0 ? [] : [`exit code ${finished.code}: ${finished.stderr || finished.stdout}`]
    if (data === undefined) reasons.push(`not JSON: ${brief(finished.stdout)}`)
    this.score.count(label(command, words), [...reasons, ...differences(data, expected)])
    return data
  }

  /** The same, and once more as a person sees it. For what only reads. */
  async read(command: string, words: readonly string[] = [], expected: unknown = {}): Promise<Json> {
    const [data] = await Promise.all([this.run(command, words, expected), this.#show(command, words)])
    return data
  }

  /** Runs a command that the service must refuse. */
  async refuse(command: string, words: readonly string[], message: RegExp) {
    const { code, stderr, stdout } = await this.#start(command, [...words, '--json'])
    const reasons = code === 1 ? [] : [`exit code ${code}: ${stdout}`]
    this.score.count(label(command, words), [...reasons, ...differences(parsed(stderr)?.error?.message, message)])
  }

  /** Runs a command that listens until Ctrl-C; it must tell of what `act` does. */
  async listen(command: string, words: readonly string[], act: () => Promise<unknown>, told: RegExp) {
    this.#run.add(command)
    const all = [PROGRAM, ...command.split(' '), ...words]
    const env = { PATH: process.env.PATH!, ...this.#environment }
    const child = spawn(process.execPath, all, { cwd: CACHE, env, stdio: ['ignore', 'pipe', 'pipe'] })
    const ended = once(child, 'close')
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text))
    // It says when it has begun; what happens before that is not its business.
    await until(async () => said !== '' || child.exitCode !== null)
    await act()
    const isTold = await until(async () => told.test(said) || child.exitCode !== null)
    child.kill('SIGINT')
    await ended
    const reasons = isTold && told.test(said) ? [] : [`did not tell: ${brief(said)}`]
    if (child.exitCode !== 0 && child.exitCode !== 130) reasons.push(`exit code ${child.exitCode}: ${said}`)
    this.score.count(label(command, words), reasons)
  }

  /** The commands that were never run count as wrong, unless they ask nobody, or for what is not built. */
  async finish(skipped: (command: string) => 'local' | 'not built' | undefined) {
    const { stdout } = await this.#start('commands', [])
    for (const command of leavesOf(JSON.parse(stdout))) {
      const why = skipped(command)
      if (why === 'not built') this.score.notBuilt++
      else if (!why && !this.#run.has(command)) this.score.count(command, ['never run by this trial'])
    }
    return this.score
  }

  async #show(command: string, words: readonly string[]) {
    const { code, stdout, stderr } = await this.#start(command, words, ['--require', './person.cjs'])
    const reasons = code === 0 ? [] : [`exit code ${code}: ${stderr || stdout}`]
    const broken = stdout.split('\n').find((line) => BROKEN.test(line))
    if (broken) reasons.push(`shows ${brief(broken)}`)
    if (stdout.trim() === '') reasons.push('shows nothing')
    this.score.count(`${label(command, words)} for a person`, reasons)
  }

  #start(
    command: string,
    words: readonly string[],
    options: readonly string[] = [],
    input?: string,
  ): Promise<Finished> {
    this.#run.add(command)
    const all = [...options, PROGRAM, ...command.split(' '), ...words]
    return runNode(all, this.#environment, input === undefined ? {} : { input })
  }
}

interface Command {
  readonly name: string
  readonly subcommands: readonly Command[]
}

const leavesOf = ({ subcommands }: Command, path: readonly string[] = []): string[] =>
  subcommands.flatMap((one) =>
    one.subcommands.length > 0 ? leavesOf(one, [...path, one.name]) : [[...path, one.name].join(' ')],
  )

function parsed(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const label = (command: string, words: readonly string[]) => `${command} ${words.join(' ')}`.trim().slice(0, 150)
