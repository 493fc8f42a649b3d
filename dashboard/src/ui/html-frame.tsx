import { useEffect, useId, useMemo, useRef, useState } from 'react'
import { Button } from './button.tsx'
import { cleanHtml, hasRemoteContent, withInlineImages } from './clean-html.ts'
import { frameDocument } from './frame-document.ts'
import { beginningOf, withoutPictures } from './html-beginning.ts'
import { Switch } from './switch.tsx'
import './html-frame.css'

/** No scripts, no forms, no access to this page. Links may open another tab, which is then an ordinary one. */
const SANDBOX = 'allow-popups allow-popups-to-escape-sandbox'

interface HtmlFrameProps {
  readonly html: string
  readonly title: string
  readonly inlineImages?: ReadonlyMap<string, string>
}

const WIDTHS = [
  ['desktop', 'Desktop'],
  ['mobile', 'Mobile'],
] as const

const NO_IMAGES: ReadonlyMap<string, string> = new Map()

function cleanBeginningOf(html: string) {
  const { html: short, pictures } = withoutPictures(html)
  const beginning = beginningOf(short)
  return { clean: cleanHtml(beginning), isCut: beginning.length < short.length, pictures }
}

/** Somebody else's html, shown so that it can do nothing and tells nobody that it was looked at. */
export function HtmlFrame({ html, title, inlineImages = NO_IMAGES }: HtmlFrameProps) {
  const [isNarrow, setNarrow] = useState(false)
  const [isRemoteAllowed, setRemoteAllowed] = useState(false)
  const { clean, isCut, pictures } = useMemo(() => cleanBeginningOf(html), [html])
  const shown = useMemo(
    () => withInlineImages(clean, new Map([...inlineImages, ...pictures])),
    [clean, pictures, inlineImages],
  )
  const isRemote = useMemo(() => hasRemoteContent(clean), [clean])
  return (
    <div className="frame">
      <div className="frame-bar">
        {isRemote && !isRemoteAllowed ? (
          <span className="frame-note">
            <span title="Loading them would tell the sender that you looked.">Remote pictures are off.</span>
            <Button onClick={() => setRemoteAllowed(true)}>Show pictures</Button>
          </span>
        ) : (
          <span />
        )}
        <Switch
          label="Width"
          options={WIDTHS}
          value={isNarrow ? 'mobile' : 'desktop'}
          onChange={(width) => setNarrow(width === 'mobile')}
        />
      </div>
      {isCut && <p className="frame-cut">This email is very long. Here is its beginning.</p>}
      <div className={isNarrow ? 'frame-stage narrow' : 'frame-stage'}>
        {isRemoteAllowed ? (
          <RemoteFrame title={title} html={frameDocument(shown, 'data: https: http:')} />
        ) : (
          <iframe title={title} sandbox={SANDBOX} srcDoc={frameDocument(shown, 'data:')} />
        )}
      </div>
    </div>
  )
}

/** A frame without an address inherits this page's policy, which allows no other host; so the html goes round by the server. */
function RemoteFrame({ html, title }: { html: string; title: string }) {
  const name = `frame${useId().replace(/\W/g, '')}`
  const form = useRef<HTMLFormElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another html is another submission
  useEffect(() => form.current?.submit(), [html])
  return (
    <>
      <form ref={form} method="post" encType="text/plain" action="/dashboard/frame" target={name} hidden>
        <input type="hidden" name="html" value={html} readOnly />
      </form>
      <iframe name={name} title={title} sandbox={SANDBOX} />
    </>
  )
}
