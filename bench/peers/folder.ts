import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What was fetched of the peers. It stays for the next run, because fetching takes minutes; delete it when you like. */
export const PEERS_FOLDER = join(tmpdir(), 'postwren-peers')
