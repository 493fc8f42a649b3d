import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tryFolder } from '../adapters.ts'
import { CACHE, folderOf, installPackages } from '../packages.ts'
import type { Score } from '../score.ts'
import type { World } from '../world.ts'

const SOURCE = join('test', 'clients', 'apps', 'packages')

/** Whose mail is tried by the file of this name in `packages/adapters`. */
const PACKAGES: Record<string, string> = {
  auth: '@auth/core',
  documenso: '@documenso/nodemailer-resend',
  ghost: '@tryghost/nodemailer',
  logto: '@logto/connector-smtp',
  nodemailer: 'nodemailer',
  payload: '@payloadcms/email-resend',
  strapi: 'strapi-provider-email-resend',
}

/** Those that do not read `RESEND_BASE_URL`. */
const ONE_ADDRESS = ['auth', 'payload']

/** The programs of docs/apps.md whose mail packages can be had, with the settings of that page. */
export async function tryApps(world: World): Promise<Score[]> {
  installPackages(SOURCE)
  const folder = folderOf(SOURCE)
  copyFileSync(join(CACHE, 'adapter.mjs'), join(folder, 'adapter.mjs'))
  writeFileSync(join(folder, 'redirect.mjs'), shownModule())
  return tryFolder(world, { folder, packages: PACKAGES, isRedirected: (name) => ONE_ADDRESS.includes(name) })
}

/** What the page tells people to load before a program that knows one address only. */
function shownModule(): string {
  const [, module] = /```js\n([\s\S]*?)```/.exec(readFileSync(join('docs', 'apps.md'), 'utf8')) ?? []
  if (!module) throw new Error('docs/apps.md shows no module.')
  return module
}
