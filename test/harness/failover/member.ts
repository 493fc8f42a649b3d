import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { User } from '../../../src/adapters/postgres/users.ts'
import { atEndOf, Program } from '../program.ts'
import type { Place } from './network.ts'
import { familyOf, signalAll } from './processes.ts'

export interface MemberOptions {
  readonly name: string
  readonly place: Place
  /** Its own, which nobody else uses. */
  readonly folder: string
  /** The text of patroni.yml. */
  readonly configuration: string
  /** PostgreSQL refuses to be root. Null: we are somebody else already. */
  readonly user: User | null
}

/** A PostgreSQL and the Patroni that runs it. */
export class Member {
  readonly name: string
  readonly place: Place
  readonly configurationFile: string
  readonly #options: MemberOptions
  #patroni!: Program

  constructor(options: MemberOptions) {
    this.#options = options
    this.name = options.name
    this.place = options.place
    const { folder, user, configuration } = options
    mkdirSync(folder, { mode: 0o700 })
    this.configurationFile = join(folder, 'patroni.yml')
    writeFileSync(this.configurationFile, configuration, { mode: 0o600 })
    if (user) for (const path of [folder, this.configurationFile]) chownSync(path, user.uid, user.gid)
    chmodSync(folder, 0o700)
  }

  start() {
    const { user, place } = this.#options
    const asUser = user ? ['setpriv', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'] : []
    this.#patroni = new Program([...place.prefix, ...asUser, 'patroni', this.configurationFile], {
      cwd: '/',
      environment: { LC_ALL: 'C.UTF-8' },
      isForeground: true,
    })
    atEndOf('test', () => {
      this.#options.place.cable?.plugIn()
      signalAll(this.#family(), 'SIGKILL')
    })
  }

  /** Has to run still: what it says when it has ended is why. */
  requireRunning() {
    if (this.#patroni.hasEnded) throw new Error(`Patroni of ${this.name} has ended:\n${this.#patroni.stderr}`)
  }

  get log(): string {
    return this.#patroni.stdout + this.#patroni.stderr
  }

  /** kill -9 of PostgreSQL's first process. */
  killPostmaster() {
    signalAll([this.#postmaster()!], 'SIGKILL')
  }

  /** kill -9 of Patroni: nobody tells its PostgreSQL that another one is the primary. */
  killPatroni() {
    signalAll([this.#patroni.pid], 'SIGKILL')
  }

  /** Patroni and PostgreSQL stand still. */
  freeze() {
    signalAll(this.#family(), 'SIGSTOP')
  }

  thaw() {
    signalAll(this.#family().reverse(), 'SIGCONT')
  }

  #family(): number[] {
    const postmaster = this.#postmaster()
    return familyOf([this.#patroni.pid, ...(postmaster === null ? [] : [postmaster])])
  }

  #postmaster(): number | null {
    try {
      const pid = Number(readFileSync(join(this.#options.folder, 'data', 'postmaster.pid'), 'utf8').split('\n')[0])
      return pid > 1 ? pid : null
    } catch {
      return null
    }
  }
}
