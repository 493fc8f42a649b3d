import { Button } from './button.tsx'
import { texts } from './texts.ts'

export const RemoteNote = ({ onAllow }: { onAllow: () => void }) => (
  <span className="frame-note">
    <span title={texts.mail.remoteImagesHint}>{texts.mail.remoteImagesBlocked}</span>
    <Button onClick={onAllow}>{texts.mail.showImages}</Button>
  </span>
)

export const CutNote = () => <p className="frame-cut">{texts.mail.cut}</p>
