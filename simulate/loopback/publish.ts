import type { openNameServer } from './name-server.ts'

type NameServer = Pick<Awaited<ReturnType<typeof openNameServer>>, 'set' | 'remove'>

/** As an answer of the API has it. */
interface PublishedRecord {
  readonly record: string
  readonly suggestion?: string
  readonly type: string
  readonly name: string
  readonly value: string
  readonly priority?: number
}

export interface PublishedDomain {
  readonly name: string
  readonly records: readonly PublishedRecord[]
}

/** Does what the owner of the domain is asked to do: all of it, or only the records that are wanted. */
export function publish(
  dns: NameServer,
  domain: PublishedDomain,
  isWanted: (record: PublishedRecord) => boolean = () => true,
) {
  for (const [host, records] of groupByHost(domain)) {
    const wanted = records.filter(isWanted)
    const of = (type: string) => wanted.filter((record) => record.type === type)
    if (wanted.length === 0) {
      dns.remove(host)
      continue
    }
    dns.set(host, {
      ...(of('CNAME')[0] && { CNAME: of('CNAME')[0]!.value }),
      MX: of('MX').map(({ value, priority }) => ({ exchange: value, preference: priority! })),
      TXT: of('TXT').map(({ value }) => chunks(value.replaceAll('"', ''))),
    })
  }
}

function groupByHost({ name, records }: PublishedDomain) {
  const hosts = new Map<string, PublishedRecord[]>()
  for (const record of records) {
    const host = record.name === name ? name : `${record.name}.${name}`
    hosts.set(host, [...(hosts.get(host) ?? []), record])
  }
  return hosts
}

/** One string of a TXT record holds 255 characters; an RSA key needs two. */
const chunks = (text: string) => text.match(/.{1,255}/g) ?? []
