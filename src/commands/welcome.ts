import { join } from 'node:path'
import type { Config } from '../platform/config.ts'

/** What a newcomer reads first: where everything is, what happens to mail, and one line to try. */
export function welcome({ config, port, firstKey }: { config: Config; port: number; firstKey: string | null }): string {
  const base = config.PUBLIC_URL ?? `http://localhost:${port}`
  const key = firstKey ?? '$POSTWREN_API_KEY'
  const lines = [
    '',
    `  Postwren is running (${config.ROLES.join(', ')})`,
    '',
    `  API        ${base}`,
    `  Reference  ${base}/docs`,
    `  Database   ${config.DATABASE_URL ? 'yours (POSTWREN_DATABASE_URL)' : `embedded PostgreSQL in ${config.DATA_DIR}`}`,
  ]
  if (firstKey) {
    lines.push(
      `  API key    ${firstKey}`,
      `             shown this once, and kept in ${join(config.DATA_DIR, 'api-key')}`,
    )
  }
  lines.push(
    '',
    '  Try it:',
    '',
    `  curl ${base}/contacts \\`,
    `    -H "Authorization: Bearer ${key}" -H 'Content-Type: application/json' \\`,
    `    -d '{"email": "ada@example.com", "first_name": "Ada"}'`,
    '',
  )
  return lines.join('\n')
}
