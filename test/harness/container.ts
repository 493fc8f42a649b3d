import type { Containers } from './containers.ts'
import { atEndOf, type Lifetime } from './program.ts'
import { eventually } from './service.ts'

export interface ContainerOptions {
  readonly image: string
  readonly settings?: Record<string, string>
  /** More words for `podman run`. */
  readonly words?: readonly string[]
  readonly lifetime?: Lifetime
}

let count = 0

/** One that runs as an operator who is careful runs it: nothing can be written but its volume and /tmp, and it has no privileges. */
export class Container {
  readonly #containers: Containers
  readonly name: string

  private constructor(containers: Containers, name: string) {
    this.#containers = containers
    this.name = name
  }

  static async start(containers: Containers, options: ContainerOptions): Promise<Container> {
    const name = `postwren-test-${process.pid}-${count++}`
    const container = new Container(containers, name)
    const settings = Object.entries(options.settings ?? {}).flatMap((pair) => ['--env', pair.join('=')])
    const hardening = ['--read-only', '--cap-drop', 'all', '--security-opt', 'no-new-privileges']
    // Podman's own checks of health are timers of systemd.
    const words = ['--detach', '--no-healthcheck', '--name', name, ...hardening, ...settings, ...(options.words ?? [])]
    atEndOf(options.lifetime ?? 'test', () => containers.podman('rm', '--force', '--volumes', '--time', '1', name))
    await containers.podman('run', ...words, options.image)
    return container
  }

  /** As `docker exec` does. */
  exec(...words: string[]): Promise<string> {
    return this.#containers.podman('exec', this.name, ...words)
  }

  /** Once its own health check says so. */
  async ready() {
    await eventually(async () => {
      const [status] = (await this.inspect('{{.State.Status}}')).split('\n')
      if (status === 'exited') throw new Error(`It ended instead of starting:\n${await this.logs()}`)
      return this.isReady()
    })
  }

  /** As its health check sees it. */
  isReady(): Promise<boolean> {
    return this.exec('postwren', 'healthcheck').then(
      () => true,
      () => false,
    )
  }

  inspect(format: string): Promise<string> {
    return this.#containers.podman('inspect', '--format', format, this.name)
  }

  async logs(): Promise<string> {
    return this.#containers.run('sh', ['-c', `podman logs ${this.name} 2>&1`])
  }

  /** As `docker stop` does, which kills after ten seconds. The exit code. */
  async stop(): Promise<number> {
    await this.#containers.podman('stop', '--time', '10', this.name)
    return Number(await this.inspect('{{.State.ExitCode}}'))
  }

  async restart() {
    await this.#containers.podman('start', this.name)
    await this.ready()
  }
}
