import { type CSSProperties, useEffect, useId, useMemo, useRef, useState } from 'react'
import { Button } from './button.tsx'
import { cleanHtml, hasRemoteContent, withInlineImages } from './clean-html.ts'
import { frameDocument } from './frame-document.ts'
import { measureHeight } from './frame-height.ts'
import { beginningOf, withoutPictures } from './html-beginning.ts'
import { Switch } from './switch.tsx'
import './html-frame.css'

/** No scripts, no forms, no access to this page. Links may open another tab, which is then an ordinary one. */
const SANDBOX = 'allow-popups allow-popups-to-escape-sandbox'

interface HtmlFrameProps {
  readonly html: string
  readonly title: string
  readonly inlineImages?: ReadonlyMap<string, string>
  /** As high as the mail is, and without a frame to be seen: for one of several that are read one below the other. */
  readonly isFitted?: boolean
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
export function HtmlFrame({ html, title, inlineImages = NO_IMAGES, isFitted = false }: HtmlFrameProps) {
  const [isNarrow, setNarrow] = useState(false)
  const [isRemoteAllowed, setRemoteAllowed] = useState(false)
  const { clean, isCut, pictures } = useMemo(() => cleanBeginningOf(html), [html])
  const shown = useMemo(
    () => withInlineImages(clean, new Map([...inlineImages, ...pictures])),
    [clean, pictures, inlineImages],
  )
  const isRemote = useMemo(() => hasRemoteContent(clean), [clean])
  const isAsking = isRemote && !isRemoteAllowed
  const { stage, height } = useFittingHeight(shown, isFitted)
  return (
    <div className={isFitted ? 'frame fitted' : 'frame'}>
      {(isAsking || !isFitted) && (
        <div className="frame-bar">
          {isAsking ? (
            <span className="frame-note">
              <span title="Loading them tells the sender that you opened the email.">Remote images are blocked.</span>
              <Button onClick={() => setRemoteAllowed(true)}>Show images</Button>
            </span>
          ) : (
            <span />
          )}
          {!isFitted && (
            <Switch
              label="Width"
              options={WIDTHS}
              value={isNarrow ? 'mobile' : 'desktop'}
              onChange={(width) => setNarrow(width === 'mobile')}
            />
          )}
        </div>
      )}
      {isCut && <p className="frame-cut">This email is very long. Only its beginning is shown.</p>}
      <div
        ref={stage}
        className={`frame-stage ${isNarrow ? 'narrow' : ''} ${height === null || isRemoteAllowed ? 'tall' : ''}`}
        style={{ '--mail-height': `${height ?? FIRST_HEIGHT}px` } as CSSProperties}
      >
        {isRemoteAllowed ? (
          <RemoteFrame title={title} html={frameDocument(shown, 'data: https: http:')} />
        ) : (
          <iframe title={title} sandbox={SANDBOX} srcDoc={frameDocument(shown, 'data:')} />
        )}
      </div>
    </div>
  )
}

/** The height of the mail at the width that there is for it. Undefined: not known yet; null: it cannot be known. */
function useFittingHeight(html: string, isFitted: boolean) {
  const stage = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  const [height, setHeight] = useState<number | null>()
  useEffect(() => {
    if (!isFitted) return
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry!.contentRect.width)))
    observer.observe(stage.current!)
    return () => observer.disconnect()
  }, [isFitted])
  useEffect(() => {
    if (!isFitted || width === 0) return
    const abort = new AbortController()
    // A pane that is being made wider passes many widths.
    const timer = setTimeout(async () => {
      const measured = await measureHeight(html, width, abort.signal)
      if (!abort.signal.aborted) setHeight(measured)
    }, SETTLING_MS)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [html, width, isFitted])
  return { stage, height }
}

const SETTLING_MS = 30
const FIRST_HEIGHT = 120

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
