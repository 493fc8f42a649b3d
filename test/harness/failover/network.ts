import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { freePort } from '../postgres-server.ts'
import { atEndOf } from '../program.ts'

/** Where a server of the cluster listens. */
export interface Place {
  readonly host: string
  readonly postgres: number
  readonly rest: number
  /** In front of a command that is to run there. */
  readonly prefix: readonly string[]
  /** Nobody hears it, and it hears nobody, until it is connected again. Null: the network is not ours to cut. */
  readonly cable: { unplug(): void; plugIn(): void } | null
}

export interface Network {
  /** Where those who belong to none of the servers listen. */
  readonly host: string
  /** What the servers' addresses have in common, as `pg_hba.conf` writes it. */
  readonly range: string
  readonly places: readonly Place[]
}

/** All on loopback, with ports of their own. */
export async function loopback(names: readonly string[]): Promise<Network> {
  const places: Place[] = []
  for (const _ of names)
    places.push({
      ...{ host: '127.0.0.1', postgres: await freePort(), rest: await freePort() },
      prefix: [],
      cable: null,
    })
  return { host: '127.0.0.1', range: '127.0.0.0/8', places }
}

/** Why each server cannot have a network of its own here, in one line; null: it can. */
export function whyNoNamespaces(): string | null {
  if (process.getuid?.() !== 0) return 'only root can cut off a network namespace'
  const probe = `pwprobe${process.pid}`
  if (!succeeds('ip', 'netns', 'add', probe)) return 'network namespaces (ip netns) cannot be made here'
  ip('netns', 'del', probe)
  return null
}

/** A namespace for each server, and a cable between it and a bridge on this machine. Removed in the end. */
export function namespaces(names: readonly string[]): Network {
  const number = randomInt(1, 255)
  const bridge = `pwbr${number}`
  const address = (last: number) => `10.213.${number}.${last}`
  ip('link', 'add', bridge, 'type', 'bridge')
  atEndOf('test', () => ip('link', 'del', bridge))
  ip('addr', 'add', `${address(1)}/24`, 'dev', bridge)
  ip('link', 'set', bridge, 'up')
  const places = names.map((name, index) => {
    const [namespace, outer, host] = [`pw${number}-${name}`, `pw${number}v${index}`, address(11 + index)]
    ip('netns', 'add', namespace)
    // Its end of the cable goes with it, and so does the other one.
    atEndOf('test', () => ip('netns', 'del', namespace))
    ip('link', 'add', outer, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace)
    ip('link', 'set', outer, 'master', bridge, 'up')
    ip('-n', namespace, 'addr', 'add', `${host}/24`, 'dev', 'eth0')
    for (const device of ['eth0', 'lo']) ip('-n', namespace, 'link', 'set', device, 'up')
    const cable = {
      unplug: () => ip('link', 'set', outer, 'down'),
      plugIn: () => ip('link', 'set', outer, 'up'),
    }
    return { host, postgres: 5432, rest: 8008, prefix: ['ip', 'netns', 'exec', namespace], cable }
  })
  return { host: address(1), range: `${address(0)}/24`, places }
}

function ip(...words: string[]) {
  const { status, stderr } = spawnSync('ip', words, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`ip ${words.join(' ')}: ${stderr}`)
}

const succeeds = (command: string, ...words: string[]) => spawnSync(command, words).status === 0
