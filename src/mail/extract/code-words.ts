// The words around a one-time code, in thirteen languages: those of this product's tests, and what was cheap to add. Each list is one
// expression; a word that is written without spaces before it (コード, 验证码) or as the end of another (Anmeldecode) is found in there.

const words = (flags: string, ...lists: string[]) =>
  new RegExp(
    `(?<![\\p{L}\\p{N}])(?:${lists
      .filter((list) => !/[\u3040-\ud7af]/.test(list))
      .join('|')
      .replaceAll(' ', '[\\s-]')})(?!\\p{L})|${lists.filter((list) => /[\u3040-\ud7af]/.test(list)).join('|')}`,
    flags,
  )

/** Nouns that mean a one-time code. */
export const CODE_NOUNS = words(
  'giu',
  'codes?|pass ?codes?|otp|[ms]?tan|pin|pin ?codes?|one time (?:pass(?:word|code)|pin|key)|(?:verification|authentication|security) (?:number|token|key)',
  '\\p{L}*codes?|einmal\\p{L}*(?: \\p{L}+)? (?:pass|kenn)w(?:o|ö)rt|einmal(?:pass|kenn)wort|\\p{L}*-codes?|prüfziffer|zahlenkombination',
  'mot de passe (?:à usage unique|temporaire|unique)',
  'c[oó]digos?|clave(?: \\p{L}+){0,2}|contraseña (?:temporal|de un solo uso|única)|senha (?:tempor[aá]ria|descart[aá]vel|de uso único|única)',
  'codic[ei]|password (?:temporanea|monouso|usa e getta)|eenmalig (?:wachtwoord|toegangswoord)',
  'kod(?:u|em|y|ów|zie)?|hasł[oa] jednorazow\\p{L}+|jednorazow\\p{L}+ hasł[oae]\\p{L}*',
  'kod(?:u|unuz|unu|unuzu|lar)?|tek kullanımlık (?:şifre|parola)\\p{L}*',
  'код(?:а|ом|е|ы|ов)?|одноразов\\p{L}+ парол\\p{L}+|пин(?:[\\s-]?код\\p{L}*)?',
  'コード|認証番号|確認番号|ワンタイムパスワード|パスコード|暗証番号|認証キー|セキュリティ番号',
  '[验驗][证證][码碼]|校[验驗][码碼]|[动動][态態](?:[码碼]|密[码碼]|口令)|一次性(?:密[码碼]|[验驗][证證][码碼]|代[码碼])|[确確][认認][码碼]|[认認][证證][码碼]|[激启][活用][码碼]|登[录錄入][码碼]|安全[码碼]|口令',
  '코드|인증\\s?번호|확인\\s?번호|일회용\\s?비밀번호|보안\\s?번호',
)

/** Nouns that have a code in their name, or near it, and mean something else. */
export const OTHER_CODES = words(
  'giu',
  '(?:exit|return|response|discount|promo(?:tion(?:al)?)?|coupon|voucher|gift(?: card)?|referral|postal|zip|post|area|country|dial(?:l)?ing|order|booking|reservation|tracking|product|item|article|error|status|source|qr|bar|dress|tax|swift|bic|sort|bank|customer|reference|style|colou?r|campaign|offer|savings?|reward|event|ticket|pick ?up)(?: |)codes?|code of \\p{L}+|codebase|code review\\p{L}*|code samples?',
  '(?:rabatt|gutschein|aktions|promo|promotion|vorteils|qr|strich|bar|fehler|quell|sendungs|buchungs|länder|farb|artikel|produkt|kunden|empfehlungs|bank|bestell|spar|geschenk)[\\s-]?codes?|gutscheine?',
  'codes? (?:promo\\p{L}*|de réduction|postal|avantage|cadeau|barres|qr|article|client|de suivi|erreur|couleur|de parrainage|source|de conduite|remise|de retrait)',
  'c[oó]digos? (?:promocional(?:es)?|de descuento|de desconto|postal|de barras|qr|d[eo] pedido|de seguimiento|de rastre\\p{L}+|de erro?r?|d[eo] cliente|d[eo] producto|d[eo] produto|de referido|fuente|fonte|de reserva|de artículo|de indica\\p{L}+|de recogida)|cup[oó]n|cupom',
  'codic[ei] (?:sconto|promozionale|promo|postale|a barre|qr|fiscale|cliente|articolo|ordine|prodotto|di tracciamento|tracking|errore|(?:di )?prenotazione|univoco|di ritiro)',
  '(?:kortings|actie|post|streepjes|bar|qr|fout|bron|track(?: ?&? ?trace)?|klant|artikel|boekings|cadeau|voucher|promo|spaar|afhaal)[\\s-]?codes?',
  'kod\\p{L}* (?:rabatow\\p{L}+|promocyjn\\p{L}+|pocztow\\p{L}+|kreskow\\p{L}+|qr|błędu|produktu|śledzenia|klienta|rezerwacji|polecając\\p{L}+|zniżkow\\p{L}+|odbioru)',
  '(?:indirim|promosyon|kupon|posta|takip|ürün|hata) kod\\p{L}*|karekod|barkod',
  'промокод\\p{L}*|штрих ?код\\p{L}*|qr ?код\\p{L}*|код (?:товара|отслеживания|заказа)|почтовый индекс',
  '(?:クーポン|割引|プロモーション|プロモ|紹介|商品|バー|QR|ＱＲ|エラー|ソース|優待|予約|ギフト|キャンペーン|会員|店舗|商品券)コード|郵便番号',
  '优惠[码券]|優惠[碼券]|折扣[码碼]|[兑兌][换換][码碼]|邮政编码|[邮郵][编編]|二[维維][码碼]|[条條]形?[码碼]|源代[码碼]|[错錯][误誤]代[码碼]|推[荐薦][码碼]|取件[码碼]|提[货貨][码碼]|促销[码碼]',
  '(?:쿠폰|할인|프로모션|추천|우편|바|상품)\\s?코드|우편번호',
)

/** What people are asked to do with a code. They say so in other mail, too. */
export const SIGN_IN_WORDS = words(
  'giu',
  'verif(?:y|ies|ying|ication)|confirm(?:ing)?|sign(?:ing)? ?(?:in|up|on)|log(?:ging)? ?(?:in|on)|authenticat\\p{L}+|two (?:factor|step)|2fa|mfa|activat\\p{L}+|identity|reset\\p{L}*|unlock|regist\\p{L}+',
  'bestätig\\p{L}*|anmeld\\p{L}*|verifizier\\p{L}*|einlogg\\p{L}*|zwei faktor\\p{L}*|freischalt\\p{L}*|identität|zurücksetz\\p{L}*',
  'vérifi\\p{L}*|confirmer|connexion|connecter|identit\\p{L}+|authentifi\\p{L}*|réinitialis\\p{L}*',
  'verific\\p{L}*|confirmar?|iniciar sesión|inicio de sesión|autentic\\p{L}*|acceder|entrar|fazer login|redefinir|identidade?',
  'verific\\p{L}*|confermare?|acced\\p{L}+|identità|reimpost\\p{L}*',
  'verifi\\p{L}*|bevestig\\p{L}*|in(?:te )?log\\p{L}*|aanmeld\\p{L}*|identiteit|tweestaps\\p{L}*',
  'weryfik\\p{L}*|potwierd\\p{L}*|zalog\\p{L}*|logowani\\p{L}*|tożsamoś\\p{L}*',
  'doğrula\\p{L}*|giriş|oturum\\p{L}*|подтвер\\p{L}*|вход\\p{L}?|войти|провер\\p{L}*',
  '認証|ログイン|サインイン|本人確認',
  '[验驗][证證]|登[录錄入]|身份|[确確][认認]',
  '인증|로그인|본인',
)

/** What people are told to do with a code, right beside it. */
export const ENTER_WORDS = words(
  'giu',
  'use|enter|type|input|gib|geben|verwenden?|nutzen?|eingeben|saisi\\p{L}*|entrez|utilisez|introdu\\p{L}*|ingres\\p{L}*|us[ae]|utiliz\\p{L}*|digit\\p{L}*|insir\\p{L}*|inform[ea]|inseri\\p{L}*|utilizz\\p{L}*|gebruik|voer|vul|wpisz|użyj|podaj|wprowadź|girin\\p{L}*|kullan\\p{L}*|введи\\p{L}*|используй\\p{L}*',
  '入力|[输輸]入|[键鍵]入|填[写入]|입력',
)

/** Mail about buying: a number in there is one of an order, and a code makes something cheaper. */
export const SHOP_WORDS = words(
  'giu',
  'off|discounts?|coupons?|vouchers?|promo\\p{L}*|checkout|sale|savings?|gift|deal|free shipping|rabatt\\p{L}*|gutschein\\p{L}*|warenkorb|sparen|versandkosten|remise|réduction|soldes|panier|descuento\\p{L}*|rebajas|carrito|desconto\\p{L}*|carrinho|sconto|saldi|carrello|korting\\p{L}*|winkel(?:wagen|mand)|rabat\\p{L}*|zniżk\\p{L}*|koszyk\\p{L}*|promocj\\p{L}*|indirim\\p{L}*|скидк\\p{L}*|промокод\\p{L}*',
  'orders?|invoices?|shipments?|bestellung|rechnung|lieferung|commande|facture|livraison|pedido|factura|fatura|entrega|ordine|fattura|spedizione|bestelling|factuur|zamówieni\\p{L}*|faktur\\p{L}*|sipariş\\p{L}*|заказ\\p{L}*',
  '注文|請求|[订訂][单單]|[账帳][单單]|[发發]票|주문|割引|セール|クーポン|優惠|优惠|折扣|促销|满减|할인|쿠폰',
)

/** A number right behind these is the number of something: an order, a customer, a telephone. */
const NUMBER_OF =
  /(?:client[ei]?|klient\p{L}*|klant\p{L}*|order|invoice|ticket|case|ref(?:erence)?|tracking|shipment|parcel|booking|reservation|customer|member(?:ship)?|policy|contract|transaction|receipt|box|vat|tax|phone|tel|call|fax|hotline|model|serial|sku|item|article|version|build|room|flight|iban|end(?:s|ing) (?:in|with)|registration|number|no|nr|id|num|nummer|bestellung|rechnung|auftrag|kunde|sendung|telefon|anruf|kontakt|endet auf|endend auf|eindig(?:end|t) op|termin\p{L}+ (?:par|en|con|em|com)|finissant par|final|kończąc\p{L}+ się na|sonu|numéro|n°|nº|commande|facture|téléphone|tél|pedido|factura|fatura|telefone|teléfono|llame|ligue|ligar|número|núm|ordine|fattura|telefono|numero|chiama|bestelling|factuur|bel|telefoon|zamówieni\p{L}*|faktur\p{L}*|numer|paczk\p{L}*|sipariş|numarası|заказ\p{L}*|счет\p{L}*|номер|телефон|番号|下\s?4桁|末尾|尾[号號]|ナンバー|電話|号码|號碼|编号|編號|[单單訂订][号號单單]|电话|電話|번호|전화|センター|센터|客服|commit|revision)$/iu

/** Whether the words right before a number say that it is the number of something. A word may be between them: „Order no. is“. */
export function isNumbered(before: string): boolean {
  const close = before.slice(-48).replace(/[\s:：.#=<>()[\]"'“”„«»\t|-]+$/u, '')
  const bare = close
    .replace(/(?:^|[\s.:])(?:is|ist|lautet|est|es|é|è|to|jest|は|是|为|為|are)$/iu, '')
    .replace(/[\s:.]+$/u, '')
  return isWhole(bare) && !endsWithCode(bare)
}

const isWhole = (text: string) => {
  const found = NUMBER_OF.exec(text)
  return found !== null && !/[^\p{L}\p{N}][\p{L}]$/u.test(text) && isStart(text, found.index, found[0])
}

/** German and Dutch put the noun in front of the number: „Bestellnummer“, „Kundennr“. Elsewhere a word is a word of its own. */
const isStart = (text: string, at: number, word: string) =>
  /^(?:nummer|nr|telefon|番号|번호|号码|號碼|编号|編號)$/iu.test(word) ||
  !/\p{L}/u.test(text[at - 1] ?? '') ||
  /[\u3040-\ud7af]/.test(word)

function endsWithCode(text: string): boolean {
  for (const { 0: word, index } of text.matchAll(CODE_NOUNS)) if (index + word.length === text.length) return true
  return false
}
