import { Button } from './button.tsx'
import { texts } from './texts.ts'

export const RemoteNote = ({ onAllow }: { onAllow: () => void }) => (
  <span className="frame-note">
    <span title={texts.loadingThemTellsSender}>{texts.remoteImagesBlocked}</span>
    <Button onClick={onAllow}>{texts.showImages}</Button>
  </span>
)

export const CutNote = () => <p className="frame-cut">{texts.emailVeryLongOnly}</p>
