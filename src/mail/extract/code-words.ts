// The words around a one-time code, in 28 languages, each of which has mails in golden/. Each list is one
// expression; a word that is written without spaces before it (コード, 验证码) or as the end of another (Anmeldecode) is found in there.
//
// They are for text in small letters, and name the letters that there are by ranges: to make ready for any letter in any case took V8
// 90 ms at the first message, in one piece, and 1 µs for each character after it.

/**
 * The small letters of scripts that put spaces between words: Latin (also that of Vietnamese), Greek, Cyrillic, Hebrew, Arabic,
 * Devanagari. `L` in the lists below.
 */
export const LETTERS =
  'a-z\u00aa\u00b5\u00ba\u00df-\u00f6\u00f8-\u024f\u0370-\u03ff\u0430-\u04ff\u05d0-\u05ea\u0620-\u065f\u0670-\u06d3\u0900-\u0963\u1e00-\u1eff'

/** In small letters, each at its place. One capital of Turkish would become two characters. */
export const lowered = (text: string) => text.replaceAll('İ', 'i').toLowerCase()

/** Thai, Japanese, Chinese, Korean. */
export const hasNoSpaces = (list: string) => /[\u0e00-\u0e7f\u3040-\ud7af]/.test(list)
export const withLetters = (list: string) => list.replace(/L(?=[+*])/g, `[${LETTERS}]`)

export function words(...lists: string[]): RegExp {
  const spaced = lists
    .filter((list) => !hasNoSpaces(list))
    .join('|')
    .replaceAll(' ', '[\\s-]')
  const joined = lists.filter(hasNoSpaces).join('|')
  return new RegExp(`(?<![\\d${LETTERS}])(?:${withLetters(spaced)})(?![${LETTERS}])|${joined}`, 'g')
}

/** Nouns that mean a one-time code. */
export const CODE_NOUNS = words(
  'codes?|pass ?codes?|otp|[ms]?tan|pin|pin ?codes?|one time (?:pass(?:word|code)|pin|key)|(?:verification|authentication|security) (?:number|token|key)',
  'L*(?:codes?|kod(?:en|er|erna)|skod|kode(?:n|r|rne|ne)?|koodiL*|kód(?:u|em|y|ů|ja|od|ot|ját|odat|unk)?)|einmalL*(?: L+)? (?:pass|kenn)w(?:o|ö)rt|einmal(?:pass|kenn)wort|L*-codes?|prüfziffer|zahlenkombination',
  '(?:[4-8]|four|five|six|eight|vier|fünf|sechs|acht|quatre|cinq|huit|cuatro|quatro|cinco|seis|ocho|oito|quattro|cinque|sei|otto|vijf|zes|sześć|cztery) ?(?:digits?|ziffern|chiffres|dígitos|cifre|cijfers|cyfr)',
  'mot de passe (?:à usage unique|temporaire|unique)',
  'c[oó]digos?|clave(?: L+){0,2}|contraseña (?:temporal|de un solo uso|única)|senha (?:tempor[aá]ria|descart[aá]vel|de uso único|única)',
  'codic[ei]|password (?:temporanea|monouso|usa e getta)|eenmalig (?:wachtwoord|toegangswoord)',
  'kod(?:u|em|y|ów|zie)?|hasł[oa] jednorazowL+|jednorazowL+ hasł[oae]L*',
  'kod(?:u|unuz|unu|unuzu|lar)?|tek kullanımlık (?:şifre|parola)L*',
  'код(?:а|ом|е|ы|ов)?|одноразовL+ паролL+|пин(?:[\\s-]?кодL*)?',
  'コード|認証番号|確認番号|ワンタイムパスワード|パスコード|暗証番号|認証キー|セキュリティ番号|[4-8四五六八]\\s?桁の数字|[4-8四五六八]\\s?位数字',
  '[验驗][证證][码碼]|校[验驗][码碼]|[动動][态態](?:[码碼]|密[码碼]|口令)|一次性(?:密[码碼]|[验驗][证證][码碼]|代[码碼])|[确確][认認][码碼]|[认認][证證][码碼]|[激启][活用][码碼]|登[录錄入][码碼]|安全[码碼]|口令',
  '코드|인증\\s?번호|확인\\s?번호|일회용\\s?비밀번호|보안\\s?번호',
  'engångslösenordL*|engangs(?:adgangskode|passord)L*|kertakäyttöL+|tunnuslukuL*',
  'jednorázovL+ hesloL*|egyszer használatos jelszóL*|cod(?:ul|uri|ului|urile)?|parolL+ (?:unicL+|de unică folosințăL*)',
  'код(?:у|и|ів)|κωδικ(?:ός|ού|ό|οί|ών)|otp κωδικL+|(?:ال|لل|بال|وال)?(?:رمز|كود)L*|كلمة (?:ال)?مرور (?:لمرة واحدة|المؤقتة)|[והלבמש]?[הל]?קוד(?:ך|ים)?|סיסמה חד פעמית|कोड|ओटीपी|पिन|पासकोड|वन टाइम पासवर्ड',
  'mã|mật khẩu (?:một lần|dùng một lần)|kodenya|kata sandi (?:sekali pakai|sementara)|sandi sekali pakai',
  'รหัส|โอทีพี',
)

/** Nouns that have a code in their name, or near it, and mean something else. */
export const OTHER_CODES = words(
  '(?:exit|return|response|discount|promo(?:tion(?:al)?)?|coupon|voucher|gift(?: card)?|referral|postal|zip|post|area|country|dial(?:l)?ing|order|booking|reservation|tracking|product|item|article|error|status|source|qr|bar|dress|tax|swift|bic|sort|bank|customer|reference|style|colou?r|campaign|offer|savings?|reward|event|ticket|pick ?up|course|class|module|job|vendor|store|branch|commodity|project|department|airport|language|currency)(?: |)codes?|code of L+|codebase|code reviewL*|code samples?',
  '(?:rabatt|gutschein|aktions|promo|promotion|vorteils|qr|strich|bar|fehler|quell|sendungs|buchungs|länder|farb|artikel|produkt|kunden|empfehlungs|bank|bestell|spar|geschenk)[\\s-]?codes?|gutscheine?',
  'codes? (?:promoL*|de réduction|postal|avantage|cadeau|barres|qr|article|client|de suivi|erreur|couleur|de parrainage|source|de conduite|remise|de retrait)',
  'c[oó]digos? (?:promocional(?:es)?|de descuento|de desconto|postal|de barras|qr|d[eo] pedido|de seguimiento|de rastreL+|de erro?r?|d[eo] cliente|d[eo] producto|d[eo] produto|de referido|fuente|fonte|de reserva|de artículo|de indicaL+|de recogida)|cup[oó]n|cupom',
  'codic[ei] (?:sconto|promozionale|promo|postale|a barre|qr|fiscale|cliente|articolo|ordine|prodotto|di tracciamento|tracking|errore|(?:di )?prenotazione|univoco|di ritiro)',
  '(?:kortings|actie|post|streepjes|bar|qr|fout|bron|track(?: ?&? ?trace)?|klant|artikel|boekings|cadeau|voucher|promo|spaar|afhaal)[\\s-]?codes?',
  'kodL* (?:rabatowL+|promocyjnL+|pocztowL+|kreskowL+|qr|błędu|produktu|śledzenia|klienta|rezerwacji|polecającL+|zniżkowL+|odbioru)',
  '(?:indirim|promosyon|kupon|posta|takip|ürün|hata) kodL*|karekod|barkod',
  'промокодL*|штрих ?кодL*|qr ?кодL*|код (?:товара|отслеживания|заказа)|почтовый индекс',
  '(?:クーポン|割引|プロモーション|プロモ|紹介|商品|バー|qr|エラー|ソース|優待|予約|ギフト|キャンペーン|会員|店舗|商品券)コード|郵便番号',
  '优惠[码券]|優惠[碼券]|折扣[码碼]|[兑兌][换換][码碼]|邮政编码|[邮郵][编編]|二[维維][码碼]|[条條]形?[码碼]|源代[码碼]|[错錯][误誤]代[码碼]|推[荐薦][码碼]|取件[码碼]|提[货貨][码碼]|促销[码碼]',
  '(?:쿠폰|할인|프로모션|추천|우편|바|상품)\\s?코드|우편번호',
  '(?:rabatt|rabat|kampanj|kampanje|kampagne|gave|gåvo|streck|strek|streg|qr|erbjudande|tilbuds|presentkorts|sporings|spårnings|boknings|booking|hente|afhentnings|uthämtnings|feil|fejl|fel|produkt|artikel|vare|værve|verve|land(?:e|s)?)kod(?:er|en|e)?',
  '(?:alennus|tarjous|lahja|viiva|seuranta|varaus|nouto|virhe|tuote|etu|kampanja)koodiL*|postinumero|(?:slevovL+|dárkovL+|čárovL+|poštovn?L+|produktovL+) kódL*|psč|kódL* (?:produktu|objednávky|rezervace)|(?:kupon|kedvezmény|irányító|vonal|utalvány|termék|foglalási |követési )(?:kód|szám)L*',
  'cod(?:ul)? (?:poștal|de reducere|promoțional|de bare|produsului|comenzii|rezervării|qr|de rezervare)|промокодL*|код (?:замовлення|товару|відстеження|знижкL*|бронювання)|поштовий індекс|κωδικL+ (?:έκπτωσης|προσφοράς|προϊόντος|παραγγελίας|κράτησης|κουπονιού)|ταχυδρομικL+ κώδικαL*|εκπτωτικL+ κωδικL+',
  '(?:رمز|كود|كوبون) (?:ال)?(?:خصم|قسيمة|ترويجيL*|بريدي|حجز|منتج|تتبع)L*|[הל]?קוד (?:קופון|הנחה|ההנחה|מבצע|הזמנה|ההזמנה|מוצר|מעקב|הטבה)|मिनी कोड|पिन कोड|(?:कूपन|प्रोमो|डिस्काउंट|ऑर्डर|उत्पाद|छूट) कोड',
  'mã (?:giảm giá|khuyến mãi|khuyến mại|ưu đãi|đơn hàng|vận đơn|bưu (?:chính|điện)|sản phẩm|khách hàng|số thuế|vạch|qr|đặt (?:chỗ|phòng|vé)|đặt hàng|giới thiệu|giao dịch|tham chiếu|lỗi|nhân viên|quà tặng)|kode (?:pos|promo|voucher|diskon|kupon|pesanan|booking|pemesanan|produk|barang|qr|batang|referral|resi|unik pembayaran|bayar|pembayaran|reservasi)',
  'รหัส(?:ส่วนลด|โปรโมชั่น|คูปอง|ไปรษณีย์|สินค้า|คำสั่งซื้อ|ลูกค้า|จอง|การจอง|พัสดุ|ติดตาม|นักศึกษา|พนักงาน)',
)

/** What people are asked to do with a code. They say so in other mail, too. */
export const SIGN_IN_WORDS = words(
  'verif(?:y|ies|ying|ication)|confirm(?:ing)?|sign(?:ing)? ?(?:in|up|on)|log(?:ging)? ?(?:in|on)|authenticatL+|two (?:factor|step)|2fa|mfa|activatL+|identity|resetL*|unlock|registL+|complete (?:your )?(?:purchase|payment|order|checkout)',
  'bestätigL*|anmeldL*|verifizierL*|einloggL*|zwei faktorL*|freischaltL*|identität|zurücksetzL*',
  'vérifiL*|confirmer|connexion|connecter|identitL+|authentifiL*|réinitialisL*',
  'verificL*|confirmar?|iniciar sesión|inicio de sesión|autenticL*|acceder|entrar|fazer login|redefinir|identidade?',
  'verificL*|confermare?|accedL+|identità|reimpostL*',
  'verifiL*|bevestigL*|in(?:te )?logL*|aanmeldL*|identiteit|tweestapsL*',
  'weryfikL*|potwierdL*|zalogL*|logowaniL*|tożsamośL*',
  'doğrulaL*|giriş|oturumL*|подтверL*|входL?|войти|проверL*',
  '認証|ログイン|サインイン|本人確認',
  '[验驗][证證]|登[录錄入]|身份|[确確][认認]',
  '인증|로그인|본인',
  'verifierL*|bekräftL*|logga in|inloggningL*|identifierL*|verificerL*|bekræftL*|log(?:ge?)? ind|bekreft?L*|logg(?:e)? inn|innloggingL*|pålogg?L*|vahvistL*|kirjaudL*|kirjautuL*|tunnistautuL*',
  'ověřL*|potvrdL*|potvrzL*|přihlášL*|přihlaL*|verificL*|confirm(?:ă|are|ați|area)|autentificL*|conectL*|ellenőrL*|megerősítL*|bejelentkezL*|belépésL*|підтверL*|вхідL?|входу|увійтиL*|авторизL*|επιβεβαίωσL*|επαληθεύL*|επαλήθευL*|σύνδεσL*|συνδεθL*',
  '(?:ال|لل|لت|ل|و)?(?:تحقق|تأكيد|تسجيل|دخول|توثيق)L*|[הל]?(?:אימות|אישור|התחבר|כניסה)L*|सत्यापL*|पुष्टि|लॉगL*|साइन|xác (?:minh|thực|nhận)|đăng (?:nhập|ký)|verifikasiL*|konfirmasiL*|masuk|aktivasi',
  'ยืนยัน|เข้าสู่ระบบ|ตรวจสอบ',
)

/** What people are told to do with a code, right beside it. */
export const ENTER_WORDS = words(
  'use|enter|type|input|gib|geben|verwenden?|nutzen?|eingeben|saisiL*|entrez|utilisez|introduL*|ingresL*|us[ae]|utilizL*|digitL*|insirL*|inform[ea]|inseriL*|utilizzL*|gebruik|voer|vul|wpisz|użyj|podaj|wprowadź|girinL*|kullanL*|введиL*|используйL*',
  '入力|[输輸]入|[键鍵]入|填[写入]|입력',
  'ange|använd|skriv|indtast|brug|angiv|skriv inn|bruk|oppgi|tast|syötä|käytä|kirjoita|anna|zadejteL*|použijteL*|opišteL*|introduceți|folosiți|utilizați|írja|adja meg|használja|введіть|використайтеL*|πληκτρολογήστε|εισαγάγετε|χρησιμοποιήστε',
  'أدخل|استخدم|[הלו]?הזינ?ו?|השתמשו?|दर्ज|उपयोग|nhập|sử dụng|dùng|masukkan|gunakan|ketik',
  'กรอก|ใส่|ป้อน',
)

/** Mail that makes something cheaper: a code in there is a discount. */
export const PROMO_WORDS = words(
  'off|discounts?|coupons?|vouchers?|promoL*|checkout|sale|savings?|gift|deals?|free shipping|rabattL*|gutscheinL*|warenkorb|sparen|versandkosten|remise|réduction|soldes|panier|descuentoL*|rebajas|carrito|descontoL*|carrinho|sconto|saldi|carrello|kortingL*|winkel(?:wagen|mand)|rabatL*|zniżkL*|koszykL*|promocjL*|indirimL*|скидкL*|промокодL*',
  '割引|セール|クーポン|優惠|优惠|折扣|促销|满减|할인|쿠폰',
  'rea|erbjudandeL*|tilbudL*|utsalgL*|handlekurvL*|kampanjL*|alennusL*|tarjousL*|slevL+|výprodejL*|reducereL*|reduceriL*|kedvezményL*|akcióL*|знижкL*|έκπτωσL*|προσφορL*|خصم|تخفيضL*|عرض|הנחהL*|מבצעL*|छूट|डिस्काउंट|giảm giá|khuyến m[ãạ]iL*|ưu đãi|diskonL*|promo|voucher',
  'ส่วนลด|โปรโมชั่น|คูปอง',
)

/** Mail about something that was bought: a number in there is one of an order. */
export const ORDER_WORDS = words(
  'orders?|invoices?|shipments?|bestellung|rechnung|lieferung|commande|facture|livraison|pedido|factura|fatura|entrega|ordine|fattura|spedizione|bestelling|factuur|zamówieniL*|fakturL*|siparişL*|заказL*',
  '注文|請求|[订訂][单單]|[账帳][单單]|[发發]票|주문',
  'beställningL*|orderL*|leveransL*|bestillingL*|ordreL*|leveringL*|tila(?:us|uks)L*|laskuL*|toimitusL*|objednávkL*|fakturL*|zásilkL*|comandL+|facturL+|rendelésL*|számlaL*|замовленнL*|рахункL*|παραγγελίL*|τιμολόγιL*|(?:ال|ل)?(?:طلب|فاتورة|شحنة)L*|[ה]?(?:הזמנה|חשבונית|משלוח)L*|ऑर्डर|चालान|đơn hàng|hóa đơn|vận đơn|pesananL*|tagihan|faktur|resi',
  'คำสั่งซื้อ|ใบแจ้งหนี้|พัสดุ',
)

/** Mail about a meeting: its PIN opens a conference, for everybody and more than once. */
export const MEETING_WORDS = words(
  '(?:meetings?|conference|webinar|bridge|participant|host|attendee|access)(?: call)? (?:id|pin|code|number|passcode)|join (?:the |this )?(?:meeting|call|webinar|conference|by phone|zoom|online)|dial ?(?:in|ins)|video ?conferenceL*|zoom meeting|teams meeting|google meet|webex',
  'besprechungs ?(?:id|code)|konferenzL*|einwahlL*|telefonkonferenzL*|réunion|visioconférenceL*|reunión|videollamadaL*|reunião|riunione|vergadering(?:s ?id)?|spotkaniL*|toplantıL*|конференцL*|möteL*|mødeL*|møteL*|kokousL*|schůzkL*',
  '会議|ミーティング|[会會][议議]|회의',
)

/** Mail about a journey: the code of a booking is read out at a counter. */
export const TRAVEL_WORDS = words(
  'flights?|boarding|itinerary|airlines?|passengers?|pnr|record locator|check ?in (?:online|from|time|opens)|flug|flüge|vuelos?|voos?|volo|vlucht(?:en)?|uçuşL*|рейсL*|lennonL*|letenkaL*|penerbangan|chuyến bay',
  '航班|フライト|항공|เที่ยวบิน',
)
