import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'

/** Inserts 1, 2, 3 … one commit each, over a new connection whenever the last one broke, and tells which were acknowledged. */
export async function insertForever(
  config: pg.ClientConfig,
  acknowledge: (number: number) => void,
  signal?: AbortSignal,
) {
  let number = 0
  while (!signal?.aborted) {
    const client = new pg.Client(config)
    client.on('error', () => {})
    try {
      await client.connect()
      await client.query('create table if not exists acknowledged (number integer primary key)')
      while (!signal?.aborted) {
        number++
        await client.query('insert into acknowledged values ($1)', [number])
        acknowledge(number)
      }
      await client.end()
    } catch {
      await delay(5)
    }
  }
}
