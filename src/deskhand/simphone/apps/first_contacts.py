"""The people whom the phone knows at first; the messenger and the address book both start from them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Person:
    name: str
    phone: str
    handle: str
    region: tuple[str, str]
    sort: str
    """The sort key of the name: pinyin or Latin letters."""


_BEIJING, _SHANGHAI, _SHENZHEN = ("北京", "Beijing"), ("上海", "Shanghai"), ("深圳", "Shenzhen")
_LONDON, _HANGZHOU = ("伦敦", "London"), ("杭州", "Hangzhou")

PEOPLE: tuple[Person, ...] = (
    Person("Alice", "+44 7700 900101", "alice_w", _LONDON, "alice"),
    Person("Bob", "+44 7700 900102", "bob1987", _LONDON, "bob"),
    Person("Carol", "+44 7700 900103", "carol.k", _LONDON, "carol"),
    Person("陈晨", "138 0013 8001", "chenchen01", _BEIJING, "chenchen"),
    Person("David", "+44 7700 900104", "david_lee", _LONDON, "david"),
    Person("丁一", "138 0013 8002", "dingyi", _SHANGHAI, "dingyi"),
    Person("Emma", "+44 7700 900105", "emma2020", _LONDON, "emma"),
    Person("Frank", "+44 7700 900106", "frank_o", _LONDON, "frank"),
    Person("冯雪", "138 0013 8003", "fengxue88", _HANGZHOU, "fengxue"),
    Person("高飞", "138 0013 8004", "gaofei", _SHENZHEN, "gaofei"),
    Person("Grace", "+44 7700 900107", "grace_h", _LONDON, "grace"),
    Person("韩梅", "138 0013 8005", "hanmei", _BEIJING, "hanmei"),
    Person("何静", "138 0013 8006", "hejing", _HANGZHOU, "hejing"),
    Person("Jack", "+44 7700 900108", "jack_t", _LONDON, "jack"),
    Person("李四", "138 0013 8007", "lisi", _SHANGHAI, "lisi"),
    Person("李明", "138 0013 8008", "liming", _BEIJING, "liming"),
    Person("林涛", "138 0013 8009", "lintao", _SHENZHEN, "lintao"),
    Person("刘洋", "138 0013 8010", "liuyang", _BEIJING, "liuyang"),
    Person("Mary", "+44 7700 900109", "mary_j", _LONDON, "mary"),
    Person("孙丽", "138 0013 8011", "sunli", _SHANGHAI, "sunli"),
    Person("Tom", "+44 7700 900110", "tom_c", _LONDON, "tom"),
    Person("王五", "138 0013 8012", "wangwu", _BEIJING, "wangwu"),
    Person("王芳", "138 0013 8013", "wangfang", _HANGZHOU, "wangfang"),
    Person("吴迪", "138 0013 8014", "wudi", _SHENZHEN, "wudi"),
    Person("杨帆", "138 0013 8015", "yangfan", _SHANGHAI, "yangfan"),
    Person("赵六", "138 0013 8016", "zhaoliu", _BEIJING, "zhaoliu"),
    Person("张三", "138 0013 8017", "zhangsan", _BEIJING, "zhangsan"),
    Person("张伟", "138 0013 8018", "zhangwei", _SHENZHEN, "zhangwei"),
    Person("周杰", "138 0013 8019", "zhoujie", _SHANGHAI, "zhoujie"),
    Person("朱琳", "138 0013 8020", "zhulin", _HANGZHOU, "zhulin"),
)
