import type { GoldenMail } from './mail.ts'

export const KOREAN: readonly GoldenMail[] = [
  { subject: '인증번호 안내', text: '안녕하세요.\n\n인증번호는 482913 입니다. 10분간 유효합니다.', codes: ['482913'] },
  { subject: '로그인', text: '로그인 코드: 204 771\n타인에게 알려주지 마세요.', codes: ['204771'] },
  { subject: '주문 확인', text: '주문 확인을 위한 인증번호는 118830 입니다. 금액 12,990원.', codes: ['118830'] },
  {
    subject: '로그인',
    html: '<p>아래 코드를 입력하여 로그인하세요</p><h1>9044</h1><p>고객센터 1588-1234</p>',
    codes: ['9044'],
  },
  { subject: '[예시] 인증번호 771209', text: '본인이 요청하지 않았다면 무시하세요.', codes: ['771209'] },
  { subject: '할인', text: '쿠폰코드 202611 입력 시 20% 할인!', codes: [] },
  { subject: '주문 완료', text: '주문번호 482913 확인되었습니다. 우편번호 06236.', codes: [] },
]
