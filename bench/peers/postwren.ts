import { readFileSync } from 'node:fs'
import { type JoinedDatabase, joinDatabase, temporaryDataDir } from '../database.ts'
import { addDomain, settled } from '../send.ts'
import { API_KEY, freePort, type Service, startService } from '../service.ts'
import type { Peer, RunningPeer } from './peer.ts'

const GUARANTEE = 'on disk, synced (PostgreSQL)'

/** The domain that mail is from. */
export const SENDING_DOMAIN = 'ed.bench.dev'

const version = () => (JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }).version

/** As `npm start` leaves it: it keeps every email and shows it, as the emulators do, and writes down what became of it. */
export const postwrenInbox: Peer = {
  name: 'Postwren',
  guarantee: GUARANTEE,
  install: async () => ({ version: version() }),
  start: () =>
    start('-inbox', {}, async (service) => ({
      http: { url: `${service.url}/emails`, keyOf: () => API_KEY },
    })),
}

/** Mail that is submitted by SMTP and leaves through a relay, signed. */
export const postwrenRelay: Peer = {
  name: 'Postwren, signed',
  guarantee: GUARANTEE,
  install: async () => ({ version: version() }),
  async start({ sink }) {
    const port = await freePort()
    const settings = {
      POSTWREN_DELIVERY: 'relay',
      POSTWREN_RELAY_URL: `smtp://127.0.0.1:${sink.port}`,
      POSTWREN_SMTP_PORT: String(port),
    }
    return start('-relay', settings, async (service, database) => {
      await addDomain(service, database, SENDING_DOMAIN, 'ed25519')
      return { smtp: { port, credentials: { username: 'resend', password: API_KEY }, isRelay: true } }
    })
  },
}

/** Twice in a folder: the second start is the warm one, and the first has made the database and the domain. */
async function start(
  name: string,
  settings: Record<string, string>,
  endpointsOf: (service: Service, database: JoinedDatabase) => Promise<Pick<RunningPeer, 'http' | 'smtp'>>,
): Promise<RunningPeer> {
  const dataDir = temporaryDataDir(name)
  await (await startService(dataDir, 'postwren serve', settings)).stop()
  const service = await startService(dataDir, 'postwren serve', settings)
  const database = await joinDatabase(dataDir)
  return {
    pid: service.pid,
    startMs: service.startMs,
    ...(await endpointsOf(service, database)),
    settled: () => settled(database),
    async stop() {
      await service.stop()
      await database.leave()
    },
  }
}
