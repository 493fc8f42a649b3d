import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Seams, startApp } from './app.ts'
import { addVerifiedDomain, emptyLedger } from './emails.ts'
import { readableLog } from './log.ts'

/** A file for POSTWREN_ROUTES. Gone when the test ends. */
export function routesFile(file: object): string {
  const folder = mkdtempSync(join(tmpdir(), 'routes-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'routes.json')
  writeFileSync(path, JSON.stringify(file))
  return path
}

export const relayRoute = (name: string, server: { readonly port: number }, login = '') => ({
  ...{ name, kind: 'relay', url: `smtp://${login}127.0.0.1:${server.port}` },
})

/** The app with these routes, a team, and a domain that it may send from. */
export async function startRouted(
  file: object,
  { settings = {}, ...seams }: Seams & { settings?: Record<string, string> } = {},
) {
  const readable = readableLog()
  const path = routesFile(file)
  const all = { POSTWREN_DELIVERY: 'relay', POSTWREN_ROUTES: path, ...settings }
  const app = await startApp(all, { log: readable.log, ...seams })
  await emptyLedger(app)
  const acme = await app.as('acme')
  const name = `d-${Math.random().toString(36).slice(2)}.dev`
  await addVerifiedDomain(app, acme, name)
  return { app, acme, from: `hello@${name}`, settings: all, ...readable }
}
