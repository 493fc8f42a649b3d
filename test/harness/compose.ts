import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import type { Containers } from './containers.ts'
import { atEndOf, CHECKOUT } from './program.ts'
import { eventually, temporaryFolder } from './service.ts'

type Condition = 'service_completed_successfully' | 'service_healthy'

export interface ComposeService {
  image: string
  command?: string[]
  environment: Record<string, string | number | null>
  healthcheck?: { test: string[] }
  depends_on?: Record<string, { condition: Condition }>
  restart?: string
  ports?: string[]
  volumes?: string[]
  network_mode?: string
  [more: string]: unknown
}

export interface ComposeFile {
  name: string
  services: Record<string, ComposeService>
  volumes: Record<string, unknown>
}

/** As compose reads it: with what is merged, and with the service that another one extends. */
export function readCompose(name: string): ComposeFile {
  const file = parse(readFileSync(join(CHECKOUT, name), 'utf8'), { merge: true }) as ComposeFile
  for (const [service, { extends: base, ...own }] of Object.entries(file.services)) {
    if (!base) continue
    const { file: from, service: extended } = base as { file: string; service: string }
    const other = readCompose(from).services[extended]!
    file.services[service] = { ...other, ...own, environment: { ...other.environment, ...own.environment } }
  }
  return file
}

// Debian's podman-compose puts each container into a network of the project, where nobody resolves names; the host's has all of them.
const ON_HOST = `#!/usr/bin/env node
const words = process.argv.slice(2).join('\\0')
const changed = words.replace(/--network\\0host\\0/, '').replace(/--net\\0[^\\0]*\\0--network-alias\\0[^\\0]*/, '--network\\0host')
const done = require('node:child_process').spawnSync('podman', changed.split('\\0'), { stdio: 'inherit' })
process.exit(done.status ?? 1)
`

/**
 * What a compose file describes, started by podman-compose. Each service begins when what it depends on is as the file says: this version
 * of podman-compose does not wait, and Podman's own checks of health are timers of systemd.
 */
export class Composed {
  readonly #containers: Containers
  readonly #file: ComposeFile
  readonly #words: readonly string[]
  readonly #project: string

  private constructor(containers: Containers, file: ComposeFile) {
    this.#containers = containers
    this.#file = file
    this.#project = `${file.name}-${process.pid}`
    const folder = temporaryFolder()
    const [path, podman] = [join(folder, 'compose.yaml'), join(folder, 'podman')]
    // What others depend on has been waited for; podman-compose would start it again for each of them.
    const services = Object.entries(file.services).map(([name, { healthcheck, build, depends_on, ...rest }]) => [
      name,
      rest,
    ])
    writeFileSync(path, stringify({ volumes: file.volumes, services: Object.fromEntries(services) }))
    writeFileSync(podman, ON_HOST)
    chmodSync(podman, 0o755)
    const words = ['--podman-path', podman, '--podman-run-args=--no-healthcheck', '--project-name', this.#project]
    this.#words = ['--file', path, ...words]
  }

  static async up(containers: Containers, file: ComposeFile): Promise<Composed> {
    const composed = new Composed(containers, file)
    atEndOf('test', () => composed.#remove())
    const waiting = new Map(Object.entries(file.services))
    while (waiting.size > 0) {
      // All whose dependencies have been started: one call of podman-compose takes a second.
      const next = [...waiting].filter(([, { depends_on = {} }]) =>
        Object.keys(depends_on).every((one) => !waiting.has(one)),
      )
      const needed = next.flatMap(([, { depends_on = {} }]) => Object.entries(depends_on))
      for (const [name, { condition }] of needed)
        await (condition === 'service_healthy' ? composed.healthy(name) : composed.completed(name))
      await composed.#compose('up', '--detach', '--no-deps', ...next.map(([name]) => name))
      for (const [name] of next) waiting.delete(name)
    }
    return composed
  }

  #compose(...words: string[]) {
    return this.#containers.run('podman-compose', [...this.#words, ...words])
  }

  container(service: string): string {
    return `${this.#project}_${service}_1`
  }

  exec(service: string, ...words: string[]): Promise<string> {
    return this.#containers.podman('exec', this.container(service), ...words)
  }

  /** Once the check that the file has for it says so. */
  async healthy(service: string) {
    const [, ...words] = this.#file.services[service]!.healthcheck!.test
    await eventually(() =>
      this.exec(service, ...words).then(
        () => true,
        () => false,
      ),
    )
  }

  /** Throws when it has not ended well. */
  async completed(service: string) {
    const code = await this.#containers.podman('wait', this.container(service))
    if (code !== '0') throw new Error(`${service} ended with ${code}:\n${await this.logs(service)}`)
  }

  logs(service: string): Promise<string> {
    return this.#containers.run('sh', ['-c', `podman logs ${this.container(service)} 2>&1`])
  }

  /** The exit code. */
  async stop(service: string): Promise<number> {
    await this.#containers.podman('stop', '--time', '10', this.container(service))
    const code = await this.#containers.podman('inspect', '--format', '{{.State.ExitCode}}', this.container(service))
    return Number(code)
  }

  /** As `docker compose up` does a second time. */
  async again(service: string) {
    await this.#containers.podman('start', this.container(service))
  }

  async #remove() {
    const names = Object.keys(this.#file.services).map((service) => this.container(service))
    await this.#containers.podman('rm', '--force', '--volumes', '--ignore', '--time', '1', ...names)
    const volumes = Object.keys(this.#file.volumes).map((volume) => `${this.#project}_${volume}`)
    await this.#containers.podman('volume', 'rm', '--force', ...volumes).catch(() => {})
    await this.#containers.podman('network', 'rm', '--force', `${this.#project}_default`).catch(() => {})
  }
}
