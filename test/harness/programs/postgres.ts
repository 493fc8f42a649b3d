import { writeSync } from 'node:fs'
import { startEmbeddedPostgres } from '../../../src/adapters/postgres/embedded.ts'
import { insertForever } from '../postgres/inserts.ts'

// A process of its own for the tests: uses the server in a folder, until it is killed or told to stop.

const [dataDir, occupation] = process.argv.slice(2) as [string, 'inserts' | 'waits' | 'ends']

// Written at once, so that a killed process has not kept an acknowledgement to itself.
const say = (line: string) => writeSync(1, `${line}\n`)

const log = { info: say, warn: say }
const server = await startEmbeddedPostgres({
  dataDir,
  log,
  settings: { fsync: occupation === 'inserts' ? 'on' : 'off' },
})

if (occupation !== 'ends') {
  const keepAlive = setInterval(() => {}, 60_000)
  process.once('SIGTERM', async () => {
    await server.stop()
    clearInterval(keepAlive)
    process.exit(0)
  })
}
say('ready')
if (occupation === 'inserts') void insertForever(server.connection, (number) => say(`acknowledged ${number}`))
