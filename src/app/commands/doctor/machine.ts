import { type Finding, fault, fine, warning } from './finding.ts'

const OLDEST_NODE = [20, 19] as const

export function checkNode(version = process.versions.node): Finding[] {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isOld = major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1])
  return [
    isOld
      ? fault('node', `Node ${version} is too old: ${OLDEST_NODE.join('.')} or newer is needed.`)
      : fine('node', `Node ${version}.`),
  ]
}

/** A thousand SMTP sessions, as many requests over HTTP, and what goes out, each have one. */
const ENOUGH_FILES = 4_096

export function checkOpenFiles(limit = openFilesLimit()): Finding[] {
  if (limit === null) return []
  if (limit < ENOUGH_FILES)
    return [
      warning(
        'open_files',
        `This process may open ${limit} files and connections: raise it to ${ENOUGH_FILES} or more (\`ulimit -n\`, or LimitNOFILE of systemd).`,
      ),
    ]
  return [fine('open_files', `Open files: ${limit === Number.POSITIVE_INFINITY ? 'unlimited' : limit}.`)]
}

/** Null where the system does not tell. Node has raised it as far as it may. */
function openFilesLimit(): number | null {
  const report = process.report as NodeJS.ProcessReport & { excludeNetwork?: boolean }
  // Otherwise it looks up the names of all peers.
  report.excludeNetwork = true
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft?: number | string } } }
  const soft = userLimits?.open_files?.soft
  if (soft === 'unlimited') return Number.POSITIVE_INFINITY
  return typeof soft === 'number' ? soft : null
}
