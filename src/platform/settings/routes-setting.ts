import { readRouteFile } from '../../mail/routes/read-routes.ts'
import type { RouteTable } from '../../mail/routes/routes.ts'
import { readSettingFile } from './setting-file.ts'

const MAX_SECRET_BYTES = 64 * 1024

/** The routes and rules in the file of this path, with the secrets that it names. */
export function readRoutes(path: string, environment: NodeJS.ProcessEnv): RouteTable {
  return readRouteFile(path, readSettingFile(path), {
    variable: (name) => environment[name],
    file: (secret) => readSettingFile(secret, MAX_SECRET_BYTES),
  })
}
