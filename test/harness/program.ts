import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { onTestFinished } from 'vitest'
import { Changes, type Condition } from './changes.ts'

export const CHECKOUT = join(import.meta.dirname, '../..')
export const POSTWREN = [process.execPath, join(CHECKOUT, 'bin/postwren.mjs')]

/** How long something lasts: to the end of the test that asked for it, or for all tests of the file. */
export type Lifetime = 'test' | 'file'

const endings: (() => unknown)[] = []

/** After all tests of a file: files of one worker share this module, so each of them says so (`end-of-file.ts`). */
export async function endFile() {
  for (const ending of endings.splice(0).reverse()) await ending()
}

/** Done also when the test fails; what was asked for last is done first. */
export function atEndOf(lifetime: Lifetime, act: () => unknown) {
  if (lifetime === 'file') endings.push(act)
  else onTestFinished(async () => void (await act()))
}

export interface ProgramOptions {
  readonly environment?: Record<string, string>
  /** The working folder, where a `.env` would be. */
  readonly cwd?: string
  readonly user?: { uid: number; gid: number }
  readonly lifetime?: Lifetime
  /** In a process group of its own, as a terminal starts it: signals can go to the whole group. */
  readonly isForeground?: boolean
}

/** A program that was started as a user starts it. Killed in the end, should it still run. */
export class Program {
  readonly #child: ChildProcessByStdio<null, Readable, Readable>
  readonly #closed: Promise<unknown[]>
  readonly #changes = new Changes()
  stdout = ''
  stderr = ''

  constructor(command: readonly string[], options: ProgramOptions = {}) {
    const { environment, cwd = CHECKOUT, user, lifetime = 'test', isForeground = false } = options
    this.#child = spawn(command[0]!, command.slice(1), {
      cwd,
      env: { ...cleanEnvironment(), ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: isForeground,
      ...user,
    })
    this.#closed = once(this.#child, 'close')
    this.#child.on('exit', this.#changes.notify)
    this.#child.stdout.setEncoding('utf8').on('data', (text) => {
      this.stdout += text
      this.#changes.notify()
    })
    this.#child.stderr.setEncoding('utf8').on('data', (text) => {
      this.stderr += text
      this.#changes.notify()
    })
    atEndOf(lifetime, async () => {
      if (isForeground) this.#killGroup()
      await this.kill()
    })
  }

  get pid(): number {
    return this.#child.pid!
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  /** Resolves once the condition holds; looked at whenever the program has written something, and when it has ended. */
  until(condition: Condition, withinMs?: number): Promise<void> {
    return this.#changes.until(condition, withinMs)
  }

  /** Resolves once it has written this to its log. */
  logs(text: string): Promise<void> {
    return this.until(() => this.stderr.includes(text))
  }

  /** What it has to tell whoever started it: stderr without its log, which is JSON, and without the word that it builds. */
  get complaints(): string[] {
    return linesOf(this.stderr).filter(
      (line) => !line.startsWith('{"level"') && !/^Building( the [a-z ]+)?…$/.test(line),
    )
  }

  signal(name: NodeJS.Signals) {
    this.#child.kill(name)
  }

  /** As Ctrl-C in a terminal does. */
  signalGroup(name: NodeJS.Signals) {
    process.kill(-this.pid, name)
  }

  /** kill -9, and waits until it is gone. */
  async kill() {
    this.#child.kill('SIGKILL')
    await this.#closed
  }

  /** The exit code, or the signal that ended it. */
  async ended(): Promise<number | string> {
    const [code, signal] = (await this.#closed) as [number | null, string]
    return code ?? signal
  }

  #killGroup() {
    try {
      process.kill(-this.pid, 'SIGKILL')
    } catch {
      // all of it has ended
    }
  }
}

/** Runs `postwren` with these words to its end. */
export async function postwren(words: readonly string[], options: ProgramOptions = {}) {
  const program = new Program([...POSTWREN, ...words], options)
  const code = await program.ended()
  return { code, stdout: program.stdout, complaints: program.complaints }
}

export const linesOf = (text: string) => text.split('\n').filter((line) => line !== '')

/** The settings of whoever runs the tests are not those of the test. */
function cleanEnvironment() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(POSTWREN|RESEND)_/.test(name)))
}
