import { FULL_ACCESS } from '../../src/kernel/http/access.ts'
import type { Endpoint } from '../../src/kernel/http/endpoint.ts'
import type { App, Client } from './app.ts'

/** Whoever calls endpoints of a team: a key, or a person at a browser. */
export type Caller = Omit<Client, 'token' | 'events'>

/** No key and no program may call it, whatever its permission. */
export const isForPeople = ({ access }: Endpoint) => !FULL_ACCESS.has(access)

/** Somebody of the client's team who may call the endpoint: the key where keys may, or else a person who may do everything. */
export const callerOf = async (app: App, client: Client, endpoint: Endpoint): Promise<Caller> =>
  isForPeople(endpoint) ? app.ownerOf(client) : client
