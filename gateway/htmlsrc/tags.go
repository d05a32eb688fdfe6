package htmlsrc

// Classes of tags, as bits.
const (
	cSpecial     uint32 = 1 << iota // "special" in the standard
	cFormatting                     // a b big code …
	cScope                          // stops "in scope" (HTML names)
	cImplied                        // closed by "generate implied end tags"
	cBlock                          // "address, article, aside … ul": close p, insert
	cHeadish                        // base basefont bgsound link meta noframes script style template title
	cTableish                       // table tbody tfoot thead tr: foster parenting
	cIgnoredBody                    // caption col … tr: ignored in body
	cBreakout                       // leaves foreign content
	cHeading                        // h1 … h6
	cVoidBody                       // area br embed img keygen wbr
)

// class holds the classes of each known tag.
var class [firstUnknown]uint32

func mark(bit uint32, tags ...tagID) {
	for _, t := range tags {
		class[t] |= bit
	}
}

const hashSize = 1024

var hashTab [hashSize]tagID

func hashName(b []byte) uint32 {
	n := len(b)
	h := uint32(n) * 0x9E37
	h = h*31 + uint32(b[0]|0x20)
	h = h*31 + uint32(b[n-1]|0x20)
	h = h*31 + uint32(b[n/2]|0x20)
	return (h ^ h>>10) & (hashSize - 1)
}

func init() {
	for t := tagID(1); t < firstUnknown; t++ {
		h := hashName([]byte(tagNames[t]))
		for hashTab[h] != 0 {
			h = (h + 1) & (hashSize - 1)
		}
		hashTab[h] = t
	}
	// The specification also has "search" here; Chromium 156 (and x/net) do not.
	mark(cSpecial, tAddress, tApplet, tArea, tArticle, tAside, tBase, tBasefont, tBgsound, tBlockquote, tBody, tBr,
		tButton, tCaption, tCenter, tCol, tColgroup, tDd, tDetails, tDir, tDiv, tDl, tDt, tEmbed, tFieldset,
		tFigcaption, tFigure, tFooter, tForm, tFrame, tFrameset, tH1, tH2, tH3, tH4, tH5, tH6, tHead, tHeader,
		tHgroup, tHr, tHtml, tIframe, tImg, tInput, tKeygen, tLi, tLink, tListing, tMain, tMarquee, tMenu, tMeta,
		tNav, tNoembed, tNoframes, tNoscript, tObject, tOl, tP, tParam, tPlaintext, tPre, tScript,
		tSection, tSelect, tSource, tStyle, tSummary, tTable, tTbody, tTd, tTemplate, tTextarea, tTfoot, tTh,
		tThead, tTitle, tTr, tTrack, tUl, tWbr, tXmp)
	mark(cFormatting, tA, tB, tBig, tCode, tEm, tFont, tI, tNobr, tS, tSmall, tStrike, tStrong, tTt, tU)
	mark(cScope, tApplet, tCaption, tHtml, tTable, tTd, tTh, tMarquee, tObject, tTemplate, tSelect)
	mark(cImplied, tDd, tDt, tLi, tOptgroup, tOption, tP, tRb, tRp, tRt, tRtc)
	mark(cBlock, tAddress, tArticle, tAside, tBlockquote, tCenter, tDetails, tDialog, tDir, tDiv, tDl, tFieldset,
		tFigcaption, tFigure, tFooter, tHeader, tHgroup, tMain, tMenu, tNav, tOl, tP, tSearch, tSection, tSummary, tUl)
	mark(cHeadish, tBase, tBasefont, tBgsound, tLink, tMeta, tNoframes, tScript, tStyle, tTemplate, tTitle)
	mark(cTableish, tTable, tTbody, tTfoot, tThead, tTr)
	mark(cIgnoredBody, tCaption, tCol, tColgroup, tFrame, tHead, tTbody, tTd, tTfoot, tTh, tThead, tTr)
	mark(cBreakout, tB, tBig, tBlockquote, tBody, tBr, tCenter, tCode, tDd, tDiv, tDl, tDt, tEm, tEmbed, tH1, tH2,
		tH3, tH4, tH5, tH6, tHead, tHr, tI, tImg, tLi, tListing, tMenu, tMeta, tNobr, tOl, tP, tPre, tRuby, tS,
		tSmall, tSpan, tStrong, tStrike, tSub, tSup, tTable, tTt, tU, tUl, tVar)
	mark(cHeading, tH1, tH2, tH3, tH4, tH5, tH6)
	mark(cVoidBody, tArea, tBr, tEmbed, tImg, tKeygen, tWbr)
}

// knownTag looks a name up without regard to ASCII case.
func knownTag(b []byte) tagID {
	h := hashName(b)
	for t := hashTab[h]; t != 0; t = hashTab[h] {
		if string(b) == tagNames[t] || equalFold(b, tagNames[t]) {
			return t
		}
		h = (h + 1) & (hashSize - 1)
	}
	return tNone
}

// equalFold compares b with s, which is in lower case, without regard to ASCII case.
func equalFold(b []byte, s string) bool {
	if len(b) != len(s) {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := b[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != s[i] {
			return false
		}
	}
	return true
}
