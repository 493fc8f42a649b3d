import { type CSSProperties, useState } from 'react'
import { CutNote, RemoteNote } from './frame-notes.tsx'
import { MailPreview } from './mail-preview.tsx'
import { SandboxedFrame } from './sandboxed-frame.tsx'
import { useAvailableWidth, useMailHeight, useShownMail } from './shown-mail.ts'
import './html-frame.css'

interface HtmlFrameProps {
  readonly html: string
  readonly title: string
  readonly inlineImages?: ReadonlyMap<string, string>
  /** As high as the mail is, and without a frame to be seen: for one of several that are read one below the other. */
  readonly isFitted?: boolean
}

/** Somebody else's html, shown so that it can do nothing and tells nobody that it was looked at. */
export const HtmlFrame = ({ isFitted = false, ...props }: HtmlFrameProps) =>
  isFitted ? <FittedFrame {...props} /> : <MailPreview {...props} />

const FIRST_HEIGHT = 120

/** At the width that there is for it, as in a mail client. */
function FittedFrame({ html, title, inlineImages }: Omit<HtmlFrameProps, 'isFitted'>) {
  const [isRemoteAllowed, setRemoteAllowed] = useState(false)
  const { shown, isCut, isRemote } = useShownMail(html, inlineImages)
  const { box, width: available } = useAvailableWidth<HTMLDivElement>()
  const height = useMailHeight(shown, available)
  return (
    <div className="frame fitted">
      {isRemote && !isRemoteAllowed && (
        <div className="frame-bar">
          <RemoteNote onAllow={() => setRemoteAllowed(true)} />
        </div>
      )}
      {isCut && <CutNote />}
      <div
        ref={box}
        className={`frame-stage ${height === null || isRemoteAllowed ? 'tall' : ''}`}
        style={{ '--mail-height': `${height ?? FIRST_HEIGHT}px` } as CSSProperties}
      >
        <SandboxedFrame title={title} html={shown} isRemoteAllowed={isRemoteAllowed} />
      </div>
    </div>
  )
}
