import { type CSSProperties, useEffect, useId, useRef } from 'react'
import { frameDocument } from './frame-document.ts'
import type { MailScheme } from './mail-scheme.ts'

/** No scripts, no forms, no access to this page. Links may open another tab, which is then an ordinary one. */
const SANDBOX = 'allow-popups allow-popups-to-escape-sandbox'

interface SandboxedFrameProps {
  /** Cleaned. */
  readonly html: string
  readonly title: string
  readonly scheme?: MailScheme
  readonly isRemoteAllowed: boolean
  readonly style?: CSSProperties
}

/**
 * Somebody else's html in a frame in which it can do nothing. Another html is another frame: since version 149 Chromium now and then never lays out a
 * frame without an origin, whatever is put into it later.
 */
export const SandboxedFrame = ({ html, title, scheme = 'light', isRemoteAllowed, style }: SandboxedFrameProps) =>
  isRemoteAllowed ? (
    <RemoteFrame title={title} html={frameDocument(html, 'data: https: http:', scheme)} {...(style && { style })} />
  ) : (
    <iframe key={html} title={title} sandbox={SANDBOX} srcDoc={frameDocument(html, 'data:', scheme)} style={style} />
  )

/** A frame without an address inherits this page's policy, which allows no other host; so the html goes round by the server. */
function RemoteFrame({ html, title, style }: { html: string; title: string; style?: CSSProperties }) {
  const name = `frame${useId().replace(/\W/g, '')}`
  const form = useRef<HTMLFormElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another html is another submission
  useEffect(() => form.current?.submit(), [html])
  return (
    <>
      <form ref={form} method="post" encType="text/plain" action="/dashboard/frame" target={name} hidden>
        <input type="hidden" name="html" value={html} readOnly />
      </form>
      <iframe name={name} title={title} sandbox={SANDBOX} style={style} />
    </>
  )
}
