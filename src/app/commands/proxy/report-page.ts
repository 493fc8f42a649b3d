import type { IncomingMessage, ServerResponse } from 'node:http'
import { isLocalName } from '../../../kernel/http/host-check.ts'
import { escapeHtml } from '../../../mail/html.ts'
import { isLoopback } from '../../../platform/settings/config.ts'
import type { ReportData } from './report.ts'
import { reportLines, verdictLine } from './report-text.ts'

/** Nothing of another server is loaded, and no script runs: what the page shows came from outside. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}
pre{font:13px/1.5 ui-monospace,monospace;overflow-x:auto}`

/** The report, for a browser and for programs of this machine. */
export function answerReport(request: IncomingMessage, response: ServerResponse, report: ReportData) {
  if (!isFromHere(request))
    return send(response, { status: 403, text: 'The report is for this machine: open it as localhost.\n' })
  const path = request.url?.split('?', 1)[0]
  if (path === '/_proxy/report.json') return send(response, { type: 'application/json', text: JSON.stringify(report) })
  if (path !== '/_proxy' && path !== '/_proxy/') return send(response, { status: 404, text: 'Not found.\n' })
  send(response, { type: 'text/html', text: pageOf(report) })
}

/** It shows pieces of mail. A page of another site can have its name point to this machine. */
const isFromHere = ({ socket, headers }: IncomingMessage) =>
  isLoopback((socket.remoteAddress ?? '').replace(/^::ffff:/, '')) && isLocalName(headers.host ?? '')

interface Page {
  readonly status?: number
  readonly type?: string
  readonly text: string
}

function send(response: ServerResponse, { status = 200, type = 'text/plain', text }: Page) {
  response.writeHead(status, {
    'content-type': `${type}; charset=utf-8`,
    'content-security-policy': POLICY,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  })
  response.end(text)
}

const pageOf = (report: ReportData) => `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Postwren proxy</title><style>${STYLE}</style>
<h1>Upstream and Postwren compared</h1>
<p>${escapeHtml(verdictLine(report))}</p>
<pre>${escapeHtml(reportLines(report).join('\n'))}</pre>
</html>
`
